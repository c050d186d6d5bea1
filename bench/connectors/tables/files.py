"""Tables of files: ``filesystem`` with its formats, Delta Lake and Iceberg."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog import load_catalog

from bench.connectors.iceberg import properties
from bench.ready_rows import COLUMNS, DECLARED

from .forms import AVRO, values_of
from .sides import Pair, Rows, Systems, Table, case

_ARROW = pa.schema(
    [("id", pa.int64()), ("item", pa.string()), ("price", pa.float64()), ("qty", pa.int32()), ("ts", pa.int64())]
)


def _write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def _read_csv(path: Path) -> Rows:
    with path.open(newline="") as file:
        return [values_of(fields) for fields in csv.reader(file)]


def _write_json(path: Path, rows: Rows) -> None:
    with path.open("w") as file:
        file.writelines(f"{json.dumps(dict(zip(COLUMNS, row, strict=True)))}\n" for row in rows)


def _read_json(path: Path) -> Rows:
    with path.open() as file:
        return [tuple(map(json.loads(line).get, COLUMNS)) for line in file]


def _write_lines(path: Path, rows: Rows) -> None:
    with path.open("w") as file:
        file.writelines(f"{row[1]}\n" for row in rows)


def _read_lines(path: Path) -> Rows:
    with path.open() as file:
        return [(line.rstrip("\n"),) for line in file]


def _write_avro(path: Path, rows: Rows) -> None:
    with path.open("wb") as file:
        fastavro.writer(file, AVRO, (dict(zip(COLUMNS, row, strict=True)) for row in rows))


def _read_avro(path: Path) -> Rows:
    with path.open("rb") as file:
        return [tuple(record.values()) for record in fastavro.reader(file)]  # type: ignore[union-attr]


def _columns(rows: Rows) -> pa.Table:
    return pa.table([list(values) for values in zip(*rows, strict=True)], schema=_ARROW)


def _rows(table: pa.Table) -> Rows:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _write_parquet(path: Path, rows: Rows) -> None:
    pq.write_table(_columns(rows), path)


def _read_parquet(path: Path) -> Rows:
    return _rows(pq.read_table(path))


def _write_orc(path: Path, rows: Rows) -> None:
    orc.write_table(_columns(rows), path, compression="zlib")  # as Flink does


def _read_orc(path: Path) -> Rows:
    return _rows(orc.read_table(path))


#: Format -> bare writer and reader of a file, and the columns that it holds.
_FORMATS: dict[str, tuple[Callable[[Path, Rows], None], Callable[[Path], Rows], tuple[str, ...]]] = {
    "csv": (_write_csv, _read_csv, COLUMNS),
    "json": (_write_json, _read_json, COLUMNS),
    "raw": (_write_lines, _read_lines, ("item",)),
    "avro": (_write_avro, _read_avro, COLUMNS),
    "parquet": (_write_parquet, _read_parquet, COLUMNS),
    "orc": (_write_orc, _read_orc, COLUMNS),
}


def _files(name: str, _: Systems, rows: Rows) -> Iterator[Pair]:
    write, read, picked = _FORMATS[name]
    declared = DECLARED if picked == COLUMNS else "item STRING"
    codec = {"avro.codec": "null"} if name == "avro" else {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bare")
        table = Table({"connector": "filesystem", "path": f"{folder}/ours", "format": name, **codec}, declared, picked)
        yield Pair("write", lambda: table.write(rows), lambda: write(file, rows))
        table = Table({"connector": "filesystem", "path": str(file), "format": name}, declared, picked)
        yield Pair("read", lambda: table.read(len(rows)), lambda: read(file))


for _name in _FORMATS:
    case(f"filesystem {_name}", 204_800)(partial(_files, _name))


@case("delta", 204_800)
def delta(_: Systems, rows: Rows) -> Iterator[Pair]:
    """One transaction each."""
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = f"{folder}/ours", f"{folder}/bare"
        table = Table({"connector": "delta", "path": ours})
        yield Pair("write", lambda: table.write(rows), lambda: write_deltalake(bare, _columns(rows), mode="append"))
        yield Pair("read", lambda: table.read(len(rows)), lambda: _rows(DeltaTable(bare).to_pyarrow_table()))


@case("iceberg", 204_800)
def iceberg(_: Systems, rows: Rows) -> Iterator[Pair]:
    """One snapshot each, of a catalog in SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        given = properties(folder)
        own = {"uri": given["uri"], "warehouse": given["warehouse"], "catalog-name": "lake", "catalog-type": "sql"}
        table = Table({"connector": "iceberg", **own, "catalog-database": "db", "catalog-table": "ours"})
        with load_catalog("lake", **given) as opened:
            opened.create_namespace("db")
            opened.create_table("db.bare", _ARROW)

        def write() -> None:
            with load_catalog("lake", **given) as opened:
                opened.load_table("db.bare").append(_columns(rows))

        def read() -> Any:
            with load_catalog("lake", **given) as opened:
                return _rows(opened.load_table("db.bare").scan().to_arrow())

        yield Pair("write", lambda: table.write(rows), write)
        yield Pair("read", lambda: table.read(len(rows)), read)
