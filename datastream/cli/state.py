"""``datastream state``: what a job keeps in a checkpoint."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from datastream.errors import REPR_LIMIT, DataStreamError

from .options import FORMAT, IMPORT_PATH
from .table import write_table
from .write_state import write

if TYPE_CHECKING:
    from datastream.runtime.state_view import StateReader, StateRow

_OPERATOR = click.option("--operator", metavar="UID", help="Only the operator of this uid.")
_CHECKPOINT = click.argument("checkpoint", type=click.Path(exists=True, file_okay=False, path_type=Path))


@click.group("state")
def command() -> None:
    """Show what a job keeps in a checkpoint, as of its last commit, or in a savepoint; write a savepoint.

    Showing reads objects of the job's classes, which runs their code: read only checkpoints that you trust.
    """


@command.command("ls")
@FORMAT
@_OPERATOR
@IMPORT_PATH
@_CHECKPOINT
def ls(form: str, operator: str | None, paths: tuple[str, ...], checkpoint: Path) -> None:
    """List the states in the folder CHECKPOINT, each with the number of its keys.

    An operator that keeps nothing at the moment has a line with 0 keys.
    """

    def write_rows(reader: StateReader) -> None:
        names = sorted(reader.names(operator).items(), key=lambda item: (item[0].operator, item[0].state, item[0].form))
        if form == "json":
            _lines({**asdict(n), "state": n.state or None, "form": n.form or None, "keys": k} for n, k in names)
        else:
            rows = [(n.operator, n.kind, n.state or "-", n.form or "-", str(count)) for n, count in names]
            write_table(("operator", "kind", "state", "form", "keys"), rows)

    _with_reader(checkpoint, paths, write_rows)


@command.command("show")
@FORMAT
@_OPERATOR
@click.option("--state", metavar="NAME", help="Only the state of this name.")
@click.option("--key", "text", metavar="REPR", help="Only this key: as Python writes it, or its text.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Rows at most, and entries of a list or map.",
)
@IMPORT_PATH
@_CHECKPOINT
def show(
    form: str,
    operator: str | None,
    state: str | None,
    text: str | None,
    limit: int,
    paths: tuple[str, ...],
    checkpoint: Path,
) -> None:
    """Show what keys keep in the folder CHECKPOINT, a line for each key and state."""

    def wanted(key: Any) -> bool:
        return text in (repr(key), str(key))

    def write_rows(reader: StateReader) -> None:
        rows = reader.rows(operator, state, wanted if text is not None else None, limit)
        if form == "json":
            _lines(map(_as_json, rows))
        else:
            write_table(("operator", "state", "key", "value"), [_as_text(row) for row in rows])

    _with_reader(checkpoint, paths, write_rows)


command.add_command(write)


def _with_reader(checkpoint: Path, paths: Sequence[str], write_rows: Callable[[StateReader], None]) -> None:
    """Read a checkpoint; errors and what could not be read go to stderr."""
    from datastream.spark.process.session import session
    from datastream.spark.state_view import open_reader

    sys.path[:0] = [*paths, ""]
    try:
        reader = open_reader(checkpoint)
        write_rows(reader)
    except DataStreamError as error:
        from datastream.driver.failures import exit_code, report

        report(error, "console", verbose=False)
        sys.exit(exit_code(error))
    finally:
        session.close()
    for problem in reader.problems:
        click.echo(f"warning: {problem}", err=True)


def _as_json(row: StateRow) -> dict[str, Any]:
    from datastream.runtime.state_view import plain

    return {**vars(row), "key": plain(row.key), "value": plain(row.value)}


def _as_text(row: StateRow) -> tuple[str, ...]:
    from datastream.runtime.state_view import text

    value = _short(text(row.value))
    shown = len(row.value) if row.entries is not None else 0
    if row.entries is not None and shown < row.entries:
        value += f"  ({shown} of {row.entries})"
    return row.operator, row.state, _short(text(row.key)), value


def _short(text: str) -> str:
    return text if len(text) <= REPR_LIMIT else text[: REPR_LIMIT - 3] + "..."


def _lines(objects: Iterable[dict[str, Any]]) -> None:
    for each in objects:
        click.echo(json.dumps(each, ensure_ascii=False))
