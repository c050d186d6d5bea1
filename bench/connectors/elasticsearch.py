"""``python -m bench.connectors.elasticsearch``: documents written and read, ours and by Elastic's client alone."""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click

from datastream.connectors import DeliveryGuarantee
from datastream.connectors.elasticsearch import (
    ElasticsearchConnection,
    ElasticsearchEmitter,
    ElasticsearchSink,
    ElasticsearchSource,
)
from datastream.io import Batch, EnumeratorContext, ReaderContext, Spool, WriterContext
from datastream.metrics import MetricRegistry
from tests.support.servers.choice import begin
from tests.support.servers.elasticsearch import Elasticsearch, ElasticsearchServer

_PAGE = 2_000
_BUDGET = 50_000
_LOGGER = logging.getLogger("bench")


def documents(count: int) -> list[dict[str, Any]]:
    """Documents of about 120 bytes."""
    return [
        {
            "id": n,
            "user": f"user-{n % 1000}",
            "city": "Oslo",
            "amount": n * 0.25,
            "text": "some words that are searched",
        }
        for n in range(count)
    ]


def write_ours(server: ElasticsearchServer, index: str, records: list[Any], batch: int, way: str) -> None:
    """The whole path of a writer."""
    emitter = ElasticsearchEmitter.static_index(index, "id" if way == "upsert" else None)
    guarantee = DeliveryGuarantee.EXACTLY_ONCE if way == "exactly once" else DeliveryGuarantee.AT_LEAST_ONCE
    builder = ElasticsearchSink.builder().set_connection(_connection(server)).set_emitter(emitter)
    sink = builder.set_delivery_guarantee(guarantee).set_bulk_flush_max_actions(batch).build()
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    writer = sink.create_writer(WriterContext("job", "uid", 0, 1, metrics, _LOGGER, Spool(None, "uid")))
    writer.begin(0, 0)
    for start in range(0, len(records), 4096):
        writer.write(Batch(records[start : start + 4096]))
    writer.prepare_commit()
    writer.close()


def write_bare(server: ElasticsearchServer, index: str, records: list[Any], batch: int, way: str) -> None:
    """`bulk` of the client."""
    for start in range(0, len(records), batch):
        operations: list[Any] = []
        for record in records[start : start + batch]:
            if way == "upsert":
                operations += [{"update": {"_id": record["id"]}}, {"doc": record, "doc_as_upsert": True}]
            elif way == "exactly once":
                operations += [{"index": {"_id": record["id"]}}, record]
            else:
                operations += [{"index": {}}, record]
        answer = server.api.bulk(index=index, operations=operations)
        assert not answer["errors"]


def read_ours(server: ElasticsearchServer, index: str) -> int:
    """The whole path of an enumerator and a reader."""
    source = ElasticsearchSource(index, connection=_connection(server), page_size=_PAGE)
    metrics = MetricRegistry("job", "source", "uid", 0).group
    enumerator = source.create_enumerator(EnumeratorContext("job", "uid", 1, _LOGGER, Spool(None, "uid")))
    reader = source.create_reader(ReaderContext("job", "uid", 1, False, metrics, _LOGGER, Spool(None, "uid")))
    count, offset = 0, enumerator.initial_offset()
    while not enumerator.finished(offset):
        end = enumerator.latest_offset(offset, _BUDGET)
        for split in enumerator.splits(offset, end, 1):
            count += sum(len(batch.records) for batch in reader.read(split))
        offset = end
    enumerator.commit(offset)
    enumerator.close()
    reader.close()
    return count


def read_bare(server: ElasticsearchServer, index: str) -> int:
    """A point in time, and `search` of the client."""
    point: Any = server.api.open_point_in_time(index=index, keep_alive="1m")["id"]
    count = 0
    more: dict[str, Any] = {}
    while True:
        pit = {"id": point, "keep_alive": "1m"}
        answer = server.api.search(size=_PAGE, pit=pit, sort=["_shard_doc"], track_total_hits=False, **more)
        hits = answer["hits"]["hits"]
        count += len([hit["_source"] for hit in hits])
        if len(hits) < _PAGE:
            server.api.close_point_in_time(id=point)
            return count
        more = {"search_after": hits[-1]["sort"]}


def _connection(server: ElasticsearchServer) -> ElasticsearchConnection:
    return ElasticsearchConnection((server.address,), server.user, server.password)


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
@click.option("--records", default=20_000, show_default=True, help="Documents of a round.")
@click.option("--batch", default=1000, show_default=True, help="Documents of a bulk request.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the median counts.")
def main(records: int, batch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each."""
    server = begin(Elasticsearch())
    given = documents(records)
    types = {"id": "integer", "user": "keyword", "city": "keyword", "amount": "float", "text": "text"}
    try:
        write_bare(server, server.index("warm", **types), given, batch, "")
        print(f"{'':24} {'ours':>10} {'bare':>10} {'ratio':>6}   records/s")
        for way in ("at least once", "exactly once", "upsert"):

            def write(side: Any, way: str = way) -> None:
                side(server, server.index("bench", **types), given, batch, way)

            _show(f"write, {way}", *_rates((partial(write, write_ours), partial(write, write_bare)), records, rounds))
        index = server.index("bench", **types)
        write_bare(server, index, given, batch, "")
        server.api.indices.refresh(index=index)
        assert read_ours(server, index) == read_bare(server, index) == records
        reads = partial(read_ours, server, index), partial(read_bare, server, index)
        _show("read", *_rates(reads, records, rounds))
    finally:
        server.stop()


def _show(what: str, ours: float, bare: float) -> None:
    print(f"{what:24} {ours:10,.0f} {bare:10,.0f} {ours / bare:6.2f}")


if __name__ == "__main__":
    main()
