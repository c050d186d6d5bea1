"""``python -m bench.connectors.cassandra``: rows written, read and looked up, ours and by the driver alone."""

from __future__ import annotations

import asyncio
import logging
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Session
from cassandra.concurrent import execute_concurrent_with_args
from cassandra.query import tuple_factory

from datastream.connectors.cassandra import (
    CassandraCommitter,
    CassandraLogSink,
    CassandraLookup,
    CassandraRowSink,
    CassandraSettings,
    CassandraSource,
)
from datastream.connectors.cassandra.connection import Connection
from datastream.connectors.lookup import LookupCache
from datastream.io import Batch, CommitterContext, EnumeratorContext, ReaderContext, Sink, Spool, WriterContext
from datastream.metrics import MetricRegistry
from tests.support.servers.cassandra import Cassandra, Node
from tests.support.servers.choice import begin

_PAGE = 5_000
_BUDGET = 100_000
_CONCURRENCY = 64
_LOGGER = logging.getLogger("bench")
_TABLE = "CREATE TABLE orders (id int PRIMARY KEY, customer text, city text, amount double, note text)"
_INSERT = "INSERT INTO orders (id, customer, city, amount, note) VALUES (?, ?, ?, ?, ?)"
_NO_CACHE = LookupCache(max_rows=0)


def rows(count: int) -> list[tuple[Any, ...]]:
    """Rows of about 60 bytes."""
    return [(n, f"customer-{n % 1000}", "Oslo", n * 0.25, "some words that are kept") for n in range(count)]


def write_ours(sink: Sink, records: list[Any]) -> None:
    """The whole path of a writer, and of a committer where there is one."""
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    name = f"job-{time.time_ns()}"
    writer = sink.create_writer(WriterContext(name, "uid", 0, 1, metrics, _LOGGER, Spool(None, "uid")))
    committer = sink.create_committer(CommitterContext(name, "uid", 1, _LOGGER, Spool(None, "uid")))
    writer.begin(0, 0)
    for start in range(0, len(records), 4096):
        writer.write(Batch(records[start : start + 4096]))
    part = writer.prepare_commit()
    if committer is not None:
        committer.commit(0, [part], True)
        committer.close()
    writer.close()


def write_bare(session: Session, space: str, records: list[Any]) -> None:
    """`execute_concurrent_with_args` of the driver."""
    prepared = session.prepare(_INSERT, keyspace=space)
    execute_concurrent_with_args(session, prepared, records, concurrency=_CONCURRENCY)


def read_ours(settings: CassandraSettings, space: str) -> int:
    """The whole path of an enumerator and a reader."""
    source = CassandraSource.builder().set_cluster_builder(settings).set_table(f"{space}.orders").set_page_size(_PAGE)
    built = source.build()
    metrics = MetricRegistry("job", "source", "uid", 0).group
    enumerator = built.create_enumerator(EnumeratorContext("job", "uid", 1, _LOGGER, Spool(None, "uid")))
    reader = built.create_reader(ReaderContext("job", "uid", 1, False, metrics, _LOGGER, Spool(None, "uid")))
    count, offset = 0, enumerator.initial_offset()
    while not enumerator.finished(offset):
        end = enumerator.latest_offset(offset, _BUDGET)
        for split in enumerator.splits(offset, end, 1):
            count += sum(len(batch.records) for batch in reader.read(split))
        offset = end
    enumerator.close()
    reader.close()
    return count


def read_bare(session: Session, space: str) -> int:
    """A ``SELECT`` of the driver, page by page, as tuples."""
    profile = session.execution_profile_clone_update(EXEC_PROFILE_DEFAULT, row_factory=tuple_factory)
    statement = session.prepare(f"SELECT id, amount, city, customer, note FROM {space}.orders")
    statement.fetch_size = _PAGE
    return sum(1 for _ in session.execute(statement, execution_profile=profile))


def look_up_ours(settings: CassandraSettings, space: str, keys: list[int]) -> None:
    """`fetch` of a lookup without a cache, so many at once."""
    lookup = CassandraLookup(settings, f"SELECT * FROM {space}.orders WHERE id = ?", lambda n: n, cache=_NO_CACHE)
    lookup.open(_Context())

    async def some(part: list[int]) -> None:
        for key in part:
            assert await lookup.async_invoke(key)

    async def all_of_them() -> None:
        await asyncio.gather(*(some(keys[i::_CONCURRENCY]) for i in range(_CONCURRENCY)))

    asyncio.run(all_of_them())
    lookup.close()


def look_up_bare(session: Session, space: str, keys: list[int]) -> None:
    """`execute_concurrent_with_args` of the driver."""
    prepared = session.prepare(f"SELECT * FROM {space}.orders WHERE id = ?")
    for _, found in execute_concurrent_with_args(session, prepared, [(n,) for n in keys], concurrency=_CONCURRENCY):
        assert list(found)


class _Context:
    """All of a runtime context that a lookup needs."""

    def get_metrics_group(self) -> Any:
        return MetricRegistry("job", "lookup", "uid", 0).group


def _rates(sides: tuple[Callable[[], Any], Callable[[], Any]], count: int, rounds: int) -> Iterator[float]:
    """Records a second of each side; the sides take turns."""
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for side, times in zip(sides, took, strict=True):
            began = time.perf_counter()
            side()
            times.append(time.perf_counter() - began)
    for times in took:
        yield count / statistics.median(times)


@click.command()
@click.option("--records", default=10_000, show_default=True, help="Rows of a round.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the median counts.")
def main(records: int, rounds: int) -> None:
    """Compare, in one process, with one session each."""
    node: Node = begin(Cassandra())
    space = node.keyspace(_TABLE)
    settings = CassandraSettings((node.host,), node.port, keyspace=space)
    given, keys = rows(records), list(range(records // 5))
    connection = Connection(CassandraSettings((node.host,), node.port, request_timeout_ms=60_000))
    session = connection.session
    try:
        write_bare(session, space, given)
        print(f"{'':28} {'ours':>10} {'bare':>10} {'ratio':>6}   records/s")
        bare = partial(write_bare, session, space, given)
        sink = CassandraRowSink(settings, _INSERT)
        ways: dict[str, Sink] = {
            "write": sink,
            "write, a request a row": CassandraRowSink(settings, _INSERT, rows_per_request=1),
            "write, with the log": CassandraLogSink(sink, CassandraCommitter(settings, space)),
        }
        for name, way in ways.items():
            _show(name, *_rates((partial(write_ours, way, given), bare), records, rounds))
        assert read_ours(settings, space) == read_bare(session, space) == records
        reads = partial(read_ours, settings, space), partial(read_bare, session, space)
        _show("read", *_rates(reads, records, rounds))
        looks = partial(look_up_ours, settings, space, keys), partial(look_up_bare, session, space, keys)
        _show("look up, no cache", *_rates(looks, len(keys), rounds))
    finally:
        connection.close()
        node.stop()


def _show(what: str, ours: float, bare: float) -> None:
    print(f"{what:28} {ours:10,.0f} {bare:10,.0f} {ours / bare:6.2f}", flush=True)


if __name__ == "__main__":
    main()
