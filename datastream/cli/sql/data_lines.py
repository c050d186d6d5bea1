"""Results for other programs: lines of CSV and of JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from datastream.errors import ValidationError
from datastream.table.results.cell_text import cell_text
from datastream.table.results.json_rows import json_rows
from datastream.table.results.table_result import OpenRows
from datastream.table.types.data_types import DataTypes

#: The column with the kind of a row, where rows change.
OP = "op"
_QUOTED = re.compile(r'[",\r\n]|^\s|\s$|^$')


def print_csv(opened: OpenRows) -> None:
    """Print a line of names, and one for each row. NULL is nothing, a text without characters is two quotes."""
    texts = [cell_text(kind, opened.zone) for kind in opened.kinds]
    _write(_csv([OP] * opened.updates + opened.names))
    for kind, values in opened.rows:
        cells = [None if value is None else text(value) for text, value in zip(texts, values, strict=True)]
        _write(_csv([str(kind), *cells] if opened.updates else cells))


def print_json(opened: OpenRows) -> None:
    """Print an object for each row, with the forms of the format ``json``.

    Raises:
        ValidationError: two columns have one name, or a type has no form in JSON.
    """
    names, kinds = opened.names, opened.kinds
    if opened.updates:
        names, kinds = [OP, *names], [DataTypes.STRING(), *kinds]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValidationError(
            f"an object of JSON has one value for each name, and there are two columns '{twice[0]}': name one with AS"
        )
    line = json_rows(names, kinds)
    for kind, values in opened.rows:
        _write(line((str(kind), *values) if opened.updates else values))


def _csv(cells: Iterable[str | None]) -> str:
    return ",".join("" if cell is None else _quoted(cell) for cell in cells)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
