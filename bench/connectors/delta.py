"""``python -m bench.connectors.delta``: rows written and read, ours and by delta-rs alone."""

from __future__ import annotations

import tempfile
from functools import partial

import click
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from bench.connectors.sides import Rates, read, write
from datastream.connectors.delta import DeltaSink, DeltaSource
from datastream.types import Row, Types

_ROW = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])


def columns(rows: list[Row]) -> pa.Table:
    """What a bare writer makes of rows."""
    ids, names = zip(*rows, strict=True)
    return pa.table({"id": pa.array(ids, pa.int64()), "name": pa.array(names, pa.string())})


def write_ours(path: str, rows: list[Row]) -> None:
    """The whole path of a writer and its committer."""
    write(DeltaSink.builder().set_path(path).set_row_type(_ROW).build(), rows)


def write_bare(path: str, rows: list[Row]) -> None:
    """Columns are made of the rows, and appended in one transaction."""
    write_deltalake(path, columns(rows), mode="append")


def read_ours(path: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader."""
    read(DeltaSource.builder().set_path(path).build(), count, epoch)


def read_bare(path: str, count: int) -> None:
    """All rows as dicts."""
    assert len(DeltaTable(path).to_pyarrow_table().to_pylist()) == count


@click.command()
@click.option("--records", default=200_000, show_default=True, help="Rows of a round.")
@click.option("--epoch", default=100_000, show_default=True, help="Rows that an epoch reads.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, on tables in a folder."""
    rows = [Row(id=n, name=f"name {n}") for n in range(records)]
    rates = Rates(records)
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            ours, bare = f"{folder}/ours", f"{folder}/bare"
            rates.measure_both(
                partial(write_ours, ours, rows),
                partial(write_bare, bare, rows),
                partial(read_ours, bare, records, epoch),
                partial(read_bare, bare, records),
            )
    rates.show_both()


if __name__ == "__main__":
    main()
