"""``python -m bench.connectors.iceberg``: rows written and read, ours and by pyiceberg alone."""

from __future__ import annotations

import tempfile
from functools import partial
from typing import Any

import click
from pyiceberg.catalog import load_catalog

from bench.connectors.delta import columns
from bench.connectors.sides import Rates, read, write
from datastream.connectors.iceberg import IcebergSink, IcebergSource
from datastream.types import Row, Types

_ROW = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])


def properties(folder: str) -> dict[str, str]:
    """A catalog in SQLite, of tables in a folder."""
    return {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse"}


def write_ours(catalog: dict[str, str], rows: list[Row]) -> None:
    """The whole path of a writer and its committer."""
    write(IcebergSink.builder().set_catalog("lake", catalog).set_table("db.ours").set_row_type(_ROW).build(), rows)


def write_bare(catalog: dict[str, str], rows: list[Row]) -> None:
    """Columns are made of the rows, and appended in one snapshot."""
    with load_catalog("lake", **catalog) as opened:
        opened.load_table("db.bare").append(columns(rows))


def read_ours(catalog: dict[str, str], count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader."""
    read(IcebergSource.builder().set_catalog("lake", catalog).set_table("db.bare").build(), count, epoch)


def read_bare(catalog: dict[str, str], count: int) -> None:
    """All rows as dicts."""
    with load_catalog("lake", **catalog) as opened:
        found: list[Any] = opened.load_table("db.bare").scan().to_arrow().to_pylist()
    assert len(found) == count


@click.command()
@click.option("--records", default=200_000, show_default=True, help="Rows of a round.")
@click.option("--epoch", default=100_000, show_default=True, help="Rows that an epoch reads.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, on tables in a folder with a catalog in SQLite."""
    rows = [Row(id=n, name=f"name {n}") for n in range(records)]
    rates = Rates(records)
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            catalog = properties(folder)
            with load_catalog("lake", **catalog) as opened:
                opened.create_namespace("db")
                for name in ("ours", "bare"):
                    opened.create_table(f"db.{name}", columns(rows[:1]).schema)
            rates.measure_both(
                partial(write_ours, catalog, rows),
                partial(write_bare, catalog, rows),
                partial(read_ours, catalog, records, epoch),
                partial(read_bare, catalog, records),
            )
    rates.show_both()


if __name__ == "__main__":
    main()
