"""Cassandra as a sink: the suites of connectors, and what goes wrong, on a real node."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment, Types
from datastream.connectors.cassandra import (
    CassandraCommitter,
    CassandraFailureHandler,
    CassandraLogSink,
    CassandraRowSink,
    CassandraSettings,
    CassandraSink,
    ClusterBuilder,
    ConsistencyLevel,
    MapperOptions,
)
from datastream.errors import UnsupportedOperation, ValidationError, is_transient
from datastream.io import Backoff, Sink
from datastream.testing.conformance import SinkConformance
from datastream.testing.connectors import check_sink
from datastream.time import Duration
from datastream.types import Row
from tests.support.servers.cassandra import Node, OwnNode

TABLES = (
    "CREATE TABLE numbers (world text, id int, name text, PRIMARY KEY (world, id))",
    "CREATE TABLE counts (id int PRIMARY KEY, n counter)",
    "CREATE TABLE lists (id int PRIMARY KEY, items list<text>)",
    "CREATE TABLE totals (customer text PRIMARY KEY, total int, note text)",
    "CREATE TABLE reading (sensor text, at int, value double, note text, PRIMARY KEY (sensor, at))",
)
QUICK = Backoff(retries=2, initial_ms=20)


@pytest.fixture(scope="module")
def space(cassandra: Node) -> str:
    """A keyspace with tables."""
    return cassandra.keyspace(*TABLES)


def settings_of(node: Node, space: str | None = None, **more: Any) -> CassandraSettings:
    return CassandraSettings((node.host,), node.port, keyspace=space, **more)


def sink_of(node: Node, space: str, cql: str, **more: Any) -> CassandraRowSink:
    return CassandraRowSink(settings_of(node, space), cql, **{"backoff": QUICK, **more})


def run_job(records: list[Any], sink: Sink, parallelism: int = 1) -> None:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(parallelism)
    env.from_collection(records).sink_to(sink)
    env.execute()


class Suite(SinkConformance):
    """Rows of one table; each trial has its partition."""

    @pytest.fixture(autouse=True)
    def _node(self, cassandra: Node, space: str) -> Iterator[None]:
        self.node, self.space = cassandra, space
        with cassandra.session(space) as self.session:
            yield

    def plain(self, folder: Path) -> CassandraRowSink:
        cql = f"INSERT INTO numbers (world, id, name) VALUES ('{folder}', ?, ?)"
        return sink_of(self.node, self.space, cql, batch_size=2 if "trials" in str(folder) else 1000)

    def record(self, number: int) -> Any:
        return (number, f"name {number}")

    def written(self, folder: Path) -> Iterable[Any]:
        rows = self.session.execute("SELECT id, name FROM numbers WHERE world = %s", (str(folder),))
        return [tuple(row) for row in rows]

    def unreachable(self) -> Sink:
        return replace(
            self.plain(Path("away")), cluster=CassandraSettings(("127.0.0.1",), 9, user="u", password="s3cret")
        )


class TestRowSink(Suite):
    secrets: ClassVar = ("s3cret",)

    def create(self, folder: Path) -> Sink:
        return self.plain(folder)


class TestLogSink(Suite):
    @pytest.mark.long
    def test_it_loses_and_doubles_nothing_in_crashes(self, tmp_path: Path) -> None:
        super().test_it_loses_and_doubles_nothing_in_crashes(tmp_path)

    def test_it_loses_and_doubles_nothing_in_crashes_of_a_short_job(self, tmp_path: Path) -> None:
        check_sink(self.create, tmp_path, self.written, self._epochs([[1]]))

    def create(self, folder: Path) -> Sink:
        log = CassandraCommitter.default_checkpoint_committer(settings_of(self.node), self.space)
        if not self.session.execute(
            "SELECT table_name FROM system_schema.tables WHERE keyspace_name = %s AND table_name = 'datastream_epochs'",
            (self.space,),
        ):
            return CassandraLogSink(self.plain(folder), log)
        self.session.execute("DELETE FROM datastream_epochs WHERE name = 'job/uid' IF EXISTS")
        return CassandraLogSink(self.plain(folder), log)

    def unreachable(self) -> Sink:
        plain = super().unreachable()
        assert isinstance(plain, CassandraRowSink)
        return CassandraLogSink(plain, CassandraCommitter.default_checkpoint_committer(plain.cluster))
