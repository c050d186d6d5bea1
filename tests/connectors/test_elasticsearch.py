"""Elasticsearch, on a real server: with a crash before and after every call, and all that can go wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.config import Configuration
from datastream.connectors import DeliveryGuarantee
from datastream.connectors.elasticsearch import (
    Create,
    Delete,
    Elasticsearch6SinkBuilder,
    Elasticsearch7SinkBuilder,
    ElasticsearchConnection,
    ElasticsearchEmitter,
    ElasticsearchSink,
    ElasticsearchSinkBuilder,
    ElasticsearchSource,
    FailedAction,
    FailureKind,
    FlushBackoffType,
    Index,
    Resolution,
    Update,
    dead_letter,
    ignore,
)
from datastream.errors import CheckpointError, ValidationError
from datastream.io import Backoff, Batch, Sink
from datastream.testing.conformance import SinkConformance, SourceConformance
from datastream.time import WatermarkStrategy
from tests.support.servers.elasticsearch import PASSWORD, ElasticsearchServer, OwnElasticsearch

AWAY = "127.0.0.1:9"
QUICK = Backoff(3, 1, jitter=0)


def connection(server: ElasticsearchServer, **settings: Any) -> ElasticsearchConnection:
    login = {"user_name": server.user, "password": server.password} if server.user else {}
    return ElasticsearchConnection(**{"hosts": (server.address,), **login, **settings})


def builder(server: ElasticsearchServer, emitter: Any) -> ElasticsearchSinkBuilder:
    return ElasticsearchSink.builder().set_connection(connection(server)).set_emitter(emitter).set_backoff(QUICK)


def run_job(sink: Sink, records: list[Any], parallelism: int = 1) -> None:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(parallelism)
    env.from_collection(records).sink_to(sink).name("sink")
    env.execute()


class _Sinks(SinkConformance):
    """An index for each trial."""

    secrets = (PASSWORD,)

    @pytest.fixture(autouse=True)
    def _server(self, elasticsearch: ElasticsearchServer) -> None:
        self.server = elasticsearch
        self.indices: dict[Path, str] = {}

    def index(self, folder: Path) -> str:
        if folder not in self.indices:
            self.indices[folder] = self.server.index(number="integer")
        return self.indices[folder]

    def record(self, number: int) -> Any:
        return {"number": number}

    def written(self, folder: Path) -> Iterable[Any]:
        return list(self.server.documents(self.index(folder)).values())

    def unreachable(self) -> Sink:
        settings = ElasticsearchConnection((AWAY,), "tester", PASSWORD)
        return (
            ElasticsearchSink.builder()
            .set_connection(settings)
            .set_emitter(lambda r: None)
            .set_emitter(ElasticsearchEmitter.static_index("any"))
            .set_backoff(Backoff(1, 1))
            .build()
        )


class TestSinkWithKeys(_Sinks):
    def create(self, folder: Path) -> Sink:
        emitter = ElasticsearchEmitter.static_index(self.index(folder), "number")
        return builder(self.server, emitter).set_bulk_flush_max_actions(2).build()


class TestExactlyOnceSink(_Sinks):
    def create(self, folder: Path) -> Sink:
        emitter = ElasticsearchEmitter.static_index(self.index(folder))
        sink = builder(self.server, emitter).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        return sink.set_bulk_flush_max_actions(2).build()


class TestAtLeastOnceSink(_Sinks):
    exactly_once = False

    def create(self, folder: Path) -> Sink:
        emitter = ElasticsearchEmitter.static_index(self.index(folder))
        return builder(self.server, emitter).set_bulk_flush_max_actions(2).build()


class TestSource(SourceConformance):
    expected: ClassVar[list[Any]] = [{"number": n} for n in range(11)]
    secrets = (PASSWORD,)

    @pytest.fixture(autouse=True)
    def _server(self, elasticsearch: ElasticsearchServer) -> None:
        self.server = elasticsearch
        self.name = elasticsearch.index(number="integer")
        fill(elasticsearch, self.name, 11)

    def create(self, folder: Path) -> ElasticsearchSource:
        return ElasticsearchSource(self.name, connection=connection(self.server), page_size=2)

    def unreachable(self) -> ElasticsearchSource:
        return ElasticsearchSource("any", connection=ElasticsearchConnection((AWAY,), "tester", PASSWORD))


def fill(server: ElasticsearchServer, index: str, count: int) -> None:
    operations: list[Any] = []
    for n in range(count):
        operations += [{"index": {"_id": str(n)}}, {"number": n}]
    server.api.bulk(index=index, operations=operations, refresh=True)
