"""``datastream state write``: state from a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from datastream.errors import DataStreamError, ValidationError, cut

_TYPES = {
    "STRING": "string",
    "LONG": "int64",
    "DOUBLE": "float64",
    "BOOLEAN": "bool",
    "DATE": "date32[day]",
    "TIMESTAMP": "timestamp[us]",
}
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
@click.option(
    "--type",
    "types",
    metavar="COLUMN=TYPE",
    multiple=True,
    help=f"The type of a column of CSV, if its values do not show it: {', '.join(_TYPES)}.",
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
    types: tuple[str, ...],
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
    given = dict(_type(each) for each in types)
    from datastream.driver.failures import exit_code, report
    from datastream.runtime.savepoints.manifest import folder_of, read_manifest
    from datastream.state_processor import OperatorTransformation, SavepointWriter

    began = time.monotonic()
    sys.path[:0] = [""]
    try:
        rows = _rows(file, form or _format_of(file), [*values, key, *([map_key] if map_key else [])], given)
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


def _type(text: str) -> tuple[str, str]:
    column, _, name = text.rpartition("=")
    if not column or name.upper() not in _TYPES:
        raise click.UsageError(f"--type takes COLUMN=TYPE, where TYPE is one of {', '.join(_TYPES)}: got '{text}'")
    return column, _TYPES[name.upper()]


def _rows(file: Path, form: str, columns: list[str], types: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, row by row."""
    import pyarrow as pa
    import pyarrow.dataset

    if types and form != "csv":
        raise ValidationError(f"--type is for CSV: {form} has types of its own")
    try:
        data = pyarrow.dataset.dataset(str(file), format=form)
        missing = [name for name in [*columns, *types] if name not in data.schema.names]
        if missing:
            raise ValidationError(f"{file} has no column '{missing[0]}'; there are: {', '.join(data.schema.names)}")
        if form == "csv":
            data = _typed(file, {name: "string" for name in _padded(file, data.schema, columns)} | types)
        row = 0
        for batch in data.to_batches(columns=list(dict.fromkeys(columns))):
            values = [batch.column(name).to_pylist() for name in columns]
            for name, column in zip(columns, values, strict=True):
                if None in column or (form == "csv" and "" in column):
                    at = row + min(column.index(empty) for empty in (None, "") if empty in column) + 1
                    raise ValidationError(f"{file}, row {at:,}: the column '{name}' is empty")
            row += batch.num_rows
            yield from zip(*values, strict=True)
    except (pa.ArrowException, OSError) as error:
        raise ValidationError(f"{file} cannot be read as {form}: {error}") from error


def _typed(file: Path, types: dict[str, str]) -> Any:
    """A data set of CSV files some of whose columns have these types."""
    import pyarrow.csv
    import pyarrow.dataset

    convert = pyarrow.csv.ConvertOptions(column_types=types)
    return pyarrow.dataset.dataset(str(file), format=pyarrow.dataset.CsvFileFormat(convert_options=convert))


def _padded(file: Path, schema: Any, columns: list[str]) -> list[str]:
    """Columns that look like whole numbers, of which some begin with zeros: these are no numbers."""
    import pyarrow.compute
    import pyarrow.types

    whole = [name for name in dict.fromkeys(columns) if pyarrow.types.is_integer(schema.field(name).type)]
    found = set()
    for batch in _typed(file, dict.fromkeys(whole, "string")).to_batches(columns=whole) if whole else ():
        for name in whole:
            zeros = pyarrow.compute.match_substring_regex(batch.column(name), r"^\s*[+-]?0\d")
            if pyarrow.compute.any(zeros).as_py():
                found.add(name)
    return sorted(found)


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
