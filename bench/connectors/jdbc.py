"""``python -m bench.connectors.jdbc``: rows written, read and captured, ours and by psycopg alone."""

from __future__ import annotations

import logging
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import click
import psycopg

from datastream.connectors.jdbc import (
    JdbcConnectionOptions,
    JdbcExecutionOptions,
    JdbcSink,
    JdbcSource,
    PostgresChangeSource,
)
from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, Spool, WriterContext
from datastream.metrics import MetricRegistry
from datastream.types import Types
from tests.support.servers.postgres import postgres

_LOGGER = logging.getLogger("bench")
_INSERT = "INSERT INTO {} VALUES (?, ?)"
_EPOCH = 50_000


def write_ours(url: str, rows: list[tuple[int, str]], batch: int, exactly_once: bool) -> None:
    """The whole path of a writer."""
    options = JdbcConnectionOptions(f"jdbc:{url}")
    make = JdbcSink.exactly_once_sink if exactly_once else JdbcSink.sink
    sink = make(_INSERT.format("ours"), None, options, JdbcExecutionOptions(batch_size=batch))  # type: ignore[arg-type]
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    context = WriterContext(f"job{time.time_ns()}", "uid", 0, 1, metrics, _LOGGER, Spool(None, "uid"))
    writer = sink.create_writer(context)
    writer.begin(0, 0)
    for start in range(0, len(rows), 4096):
        writer.write(Batch(rows[start : start + 4096]))
    writer.prepare_commit()
    writer.close()


def write_bare(url: str, rows: list[tuple[int, str]], batch: int) -> None:
    """psycopg's executemany, a transaction a batch."""
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        for start in range(0, len(rows), batch):
            cursor.executemany("INSERT INTO bare VALUES (%s, %s)", rows[start : start + batch])
            connection.commit()


def read_ours(source: Source) -> int:
    """The whole path of an enumerator and a reader."""
    metrics = MetricRegistry("job", "source", "uid", 0).group
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(folder, "uid")
        enumerator = source.create_enumerator(EnumeratorContext("job", "uid", 1, _LOGGER, spool))
        reader = source.create_reader(ReaderContext("job", "uid", 1, False, metrics, _LOGGER, spool))
        offset = enumerator.initial_offset()
        while not enumerator.finished(offset):
            end = enumerator.latest_offset(offset, _EPOCH)
            for split in enumerator.splits(offset, end, 1):
                found += sum(len(records.records) for records in reader.read(split))
            enumerator.commit(end)
            offset = end
        reader.close()
        enumerator.close()
    return found


def read_bare(url: str, table: str) -> int:
    """A cursor of the server's, in order of the key."""
    found = 0
    with psycopg.connect(url) as connection, connection.cursor("bench") as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY id")
        while rows := cursor.fetchmany(4096):
            found += len(rows)
    return found


def capture_bare(url: str) -> int:
    """All messages of the log, undecoded, in one piece."""
    with psycopg.connect(url) as connection:
        peek = "SELECT data FROM pg_logical_slot_peek_binary_changes('bench', NULL, NULL, 'proto_version', '1', "
        cursor = connection.execute(f"{peek} 'publication_names', 'bench')")
        return len(cursor.fetchall())


@click.command()
@click.option("--records", default=100_000, show_default=True, help="Rows of a round.")
@click.option("--batch", default=5000, show_default=True, help="Rows of a batch.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, batch: int, rounds: int) -> None:
    """Compare on a PostgreSQL, in one process, with one connection each."""
    rows = [(n, f"name {n}") for n in range(records)]
    rates: dict[str, list[float]] = {}

    def measure(what: str, side: Callable[[], Any]) -> None:
        began = time.perf_counter()
        side()
        rates.setdefault(what, []).append(records / (time.perf_counter() - began))

    with postgres() as url, psycopg.connect(url, autocommit=True) as connection:
        for _ in range(rounds):
            for name in ("ours", "bare"):
                connection.execute(f"DROP TABLE IF EXISTS {name}")
                connection.execute(f"CREATE TABLE {name} (id bigint PRIMARY KEY, name text)")
            measure("write", lambda: write_ours(url, rows, batch, False))
            connection.execute("TRUNCATE ours")
            changes = PostgresChangeSource.builder().set_db_url(f"jdbc:{url}").set_table("ours").set_slot_name("bench")
            _begin(changes.set_snapshot(False).build())
            measure("write, exactly once", lambda: write_ours(url, rows, batch, True))
            measure("write, bare", lambda: write_bare(url, rows, batch))
            reading = JdbcSource.builder().set_db_url(f"jdbc:{url}").set_table("ours").set_partition_column("id")
            source = reading.build()
            measure("read rows", lambda source=source: read_ours(source))
            source = reading.set_type_information(Types.TUPLE([Types.LONG(), Types.STRING()])).build()
            measure("read tuples", lambda source=source: read_ours(source))
            measure("read, bare", lambda: read_bare(url, "ours"))
            measure("capture, bare", lambda: capture_bare(url))
            captured = changes.set_snapshot(False).set_bounded().build()
            measure("capture", lambda captured=captured: read_ours(captured))
            connection.execute("SELECT pg_drop_replication_slot('bench')")
            connection.execute("DROP PUBLICATION bench")
    found = {what: statistics.median(values) for what, values in rates.items()}
    print(f"{'':32} {'ours':>10} {'bare':>10} {'ratio':>6}   records/s")
    for what, bare in (
        ("write", "write, bare"),
        ("write, exactly once", "write, bare"),
        ("read rows", "read, bare"),
        ("read tuples", "read, bare"),
        ("capture", "capture, bare"),
    ):
        print(f"{what:32} {found[what]:10,.0f} {found[bare]:10,.0f} {found[what] / found[bare]:6.2f}")


def _begin(source: PostgresChangeSource) -> None:
    """Make the slot."""
    enumerator = source.create_enumerator(EnumeratorContext("job", "uid", 1, _LOGGER, Spool(None, "uid")))
    enumerator.initial_offset()
    enumerator.close()


if __name__ == "__main__":
    main()
