"""``datastream state write``: state from a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from datastream.errors import DataStreamError, ValidationError, cut

_FORMATS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet"}


@click.command("write")
@click.option("--operator", "uid", metavar="UID", required=True, help="The operator's uid in the job.")
@click.option("--state", metavar="NAME", help="The state's name in its descriptor; not for --kind reduce.")
@click.option("--key", metavar="COLUMN", required=True, help="Column of the key.")
@click.option(
    "--value",
    "values",
    metavar="COLUMN",
    required=True,
    multiple=True,
    help="Column of the value; of several, a tuple.",
)
@click.option("--map-key", metavar="COLUMN", help="Column of the map's key; for --kind map.")
@click.option(
    "--kind",
    type=click.Choice(["value", "list", "map", "reduce"]),
    default="value",
    show_default=True,
    help="The state.",
)
@click.option("--format", "form", type=click.Choice(["csv", "json", "parquet"]), help="Default: by the file's suffix.")
@click.option("--max-parallelism", type=click.IntRange(1, 1 << 15), default=128, show_default=True)
@click.option(
    "--from-savepoint",
    "existing",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A savepoint that TARGET is to hold too.",
)
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
def write(
    uid: str,
    state: str | None,
    key: str,
    values: tuple[str, ...],
    map_key: str | None,
    kind: str,
    form: str | None,
    max_parallelism: int,
    existing: Path | None,
    file: Path,
    target: Path,
) -> None:
    """Write a savepoint to the new folder TARGET with the state in FILE: CSV, JSON lines, Parquet, or a folder of such.

    \b
    Exit code: 0 written, 1 failed, 2 wrong options; then nothing is left in TARGET.
    """
    if (kind == "reduce") == (state is not None):
        raise click.UsageError("--kind reduce takes no --state" if state else "--state is missing")
    if (kind == "map") != (map_key is not None):
        raise click.UsageError("--map-key belongs to --kind map, which needs it")
    if kind == "reduce" and (key not in values or len(values) < 2):
        raise click.UsageError(
            "--kind reduce keeps whole records: name all their fields by --value, the key among them"
        )
    from datastream.runtime.savepoints.manifest import folder_of, read_manifest
    from datastream.state_processor import OperatorTransformation, SavepointWriter

    from .failures import exit_code, report

    began = time.monotonic()
    sys.path[:0] = [""]
    try:
        rows = _rows(file, form or _format_of(file), [*values, key, *([map_key] if map_key else [])])
        if kind == "reduce":
            at = values.index(key)
            kept = (row[: len(values)] for row in rows)
            transformation = OperatorTransformation.bootstrap_with(kept).key_by(lambda row: row[at]).reduce(_second)
        else:
            count = len(values)
            keyed = OperatorTransformation.bootstrap_with(rows).key_by(lambda row: row[count])
            transformation = keyed.transform(bootstrap(kind, str(state), count))
        writer = SavepointWriter.new_savepoint(max_parallelism)
        if existing is not None:
            writer = SavepointWriter.from_existing_savepoint(existing, max_parallelism)
        writer.with_operator(uid, transformation).write(target)
        manifest = read_manifest(folder_of(target))
    except DataStreamError as error:
        report(error, "console", verbose=False)
        sys.exit(exit_code(error))
    click.echo(
        f"savepoint: {manifest.keys:,} keys, {manifest.bytes:,} bytes, {time.monotonic() - began:.1f} s: {target}"
    )


def _format_of(file: Path) -> str:
    names = [file] if file.is_file() else sorted(path for path in file.iterdir() if path.suffix in _FORMATS)
    if not names or names[0].suffix not in _FORMATS:
        raise ValidationError(f"the format of {file} is not known by its suffix ({', '.join(_FORMATS)}); give --format")
    return _FORMATS[names[0].suffix]


def _rows(file: Path, form: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, row by row."""
    import pyarrow as pa
    import pyarrow.dataset

    try:
        data = pyarrow.dataset.dataset(str(file), format=form)
        missing = [name for name in columns if name not in data.schema.names]
        if missing:
            raise ValidationError(f"{file} has no column '{missing[0]}'; there are: {', '.join(data.schema.names)}")
        for batch in data.to_batches(columns=list(dict.fromkeys(columns))):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)
    except (pa.ArrowException, OSError) as error:
        raise ValidationError(f"{file} cannot be read as {form}: {error}") from error


def _second(first: Any, second: Any) -> Any:
    raise ValidationError(f"one key has two rows, {cut(first)} and {cut(second)}: an aggregate is one record")


def bootstrap(kind: str, state: str, count: int) -> Any:
    """What puts the rows of `_rows` into a state.

    Args:
        kind: ``value``, ``list`` or ``map``.
        state: Its name.
        count: How many of the columns are the value; the key follows, and the map's key.
    """
    from datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
    from datastream.state_processor import KeyedStateBootstrapFunction
    from datastream.types import Types

    anything = Types.PICKLED_BYTE_ARRAY()

    class Rows(KeyedStateBootstrapFunction):
        def open(self, runtime_context: Any) -> None:
            get = runtime_context
            if kind == "list":
                self.state = get.get_list_state(ListStateDescriptor(state, anything))
            elif kind == "map":
                self.state = get.get_map_state(MapStateDescriptor(state, anything, anything))
            else:
                self.state = get.get_state(ValueStateDescriptor(state, anything))

        def process_element(self, value: Any, ctx: Any) -> None:
            stored = value[0] if count == 1 else value[:count]
            if kind == "list":
                self.state.add(stored)
                return
            there = self.state.contains(value[count + 1]) if kind == "map" else self.state.value() is not None
            if there:
                more = "" if kind == "map" else "; --kind list keeps all"
                raise ValidationError(f"the key {cut(ctx.get_current_key())} has two rows in the state '{state}'{more}")
            if kind == "map":
                self.state.put(value[count + 1], stored)
            else:
                self.state.update(stored)

    return Rows()
