"""Errors of statements as texts that say where."""

from __future__ import annotations

import re

from datastream.driver.failures import failure_text
from datastream.table.sql.errors import pointed

from .splitting import Statement

_PLACE = re.compile(r"line (\d+), column (\d+): ")


def error_text(error: BaseException, statement: Statement, where: str | None, verbose: bool) -> str:
    """What is wrong with a statement, with the line and a caret where the place is known.

    Args:
        error: What it has raised.
        statement: The statement.
        where: The file that it is in; None: it was typed.
        verbose: With whole tracebacks.
    """
    text = failure_text(error, verbose)
    at = _PLACE.match(text)
    if at is None:
        return text if where is None else f"{where}, line {statement.line}: {text}"
    if "\n" not in text:
        text += "\n" + pointed(statement.placed, int(at[1]), int(at[2]))
    return text if where is None else f"{where}, {text}"
