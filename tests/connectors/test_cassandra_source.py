"""Tables of Cassandra as a source and for lookups, on a real node."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest

from datastream import AsyncDataStream, JobError, StreamExecutionEnvironment, Types, WatermarkStrategy
from datastream.config.settings import settings as process_settings
from datastream.connectors.cassandra import CassandraLookup, CassandraSettings, CassandraSource, ClusterBuilder
from datastream.connectors.cassandra.column_types import type_of
from datastream.errors import ValidationError
from datastream.io import Backoff, Source
from datastream.testing.conformance import SourceConformance
from datastream.time import Time
from datastream.types import Row
from tests.support.servers.cassandra import Node

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("in_this_process")]

COUNT = 8


@pytest.fixture(scope="module")
def space(cassandra: Node) -> str:
    """A keyspace with tables that hold rows."""
    space = cassandra.keyspace(
        "CREATE TABLE numbers (id int PRIMARY KEY, name text)",
        "CREATE TABLE wide (a int, b text, c int, d text, PRIMARY KEY ((a, b), c))",
        "CREATE TABLE nothing (id int PRIMARY KEY)",
        "CREATE TYPE place (street text, number int)",
        "CREATE TABLE kinds (id int PRIMARY KEY, a bigint, b boolean, c date, d time, e timestamp, f decimal, g blob, "
        "h uuid, i list<int>, j set<text>, k map<text, int>, l frozen<place>, m tuple<int, text>, n double, o inet, "
        'p varint, q list<frozen<map<text, date>>>, "Odd Name" text)',
    )
    with cassandra.session(space) as session:
        for n in range(COUNT):
            session.execute("INSERT INTO numbers (id, name) VALUES (%s, %s)", (n, f"name {n}"))
        for n in range(60):
            session.execute("INSERT INTO wide (a, b, c, d) VALUES (%s, %s, %s, 'x')", (n % 3, str(n % 2), n))
    return space


def settings_of(node: Node, **more: Any) -> CassandraSettings:
    return CassandraSettings((node.host,), node.port, **more)


def rows_of(source: Source, parallelism: int = 2, function: Callable[[Row], Any] | None = None) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "table")
    results = (rows if function is None else rows.map(function)).execute_and_collect()
    with closing(results):  # type: ignore[type-var]
        return list(results)


class TestSource(SourceConformance):
    expected = tuple(Row(id=n, name=f"name {n}") for n in range(COUNT))
    secrets: ClassVar = ("s3cret",)

    @pytest.fixture(autouse=True)
    def _node(self, cassandra: Node, space: str) -> Iterator[None]:
        self.built = CassandraSource.builder().set_host(cassandra.host, cassandra.port).set_table(f"{space}.numbers")
        yield

    def create(self, folder: Path) -> Source:
        return self.built.build()

    def unreachable(self) -> Source:
        away = CassandraSettings(("127.0.0.1",), 9, user="u", password="s3cret")
        backoff = Backoff(retries=1, initial_ms=10)
        return CassandraSource(away, "a.b", ("id",), ("id",), ("int",), backoff=backoff)


def test_columns_a_condition_and_small_pages(cassandra: Node, space: str) -> None:
    builder = CassandraSource.builder().set_cluster_builder(settings_of(cassandra)).set_table(f"{space}.wide")
    source = builder.set_columns("c", "a").set_where("c >= 10").set_page_size(7).build()
    assert sorted(rows_of(source), key=lambda row: row.c) == [Row(c=n, a=n % 3) for n in range(10, 60)]
    assert (
        rows_of(
            CassandraSource.builder().set_host(cassandra.host, cassandra.port).set_table(f"{space}.nothing").build()
        )
        == []
    )


def test_values_of_many_types(cassandra: Node, space: str) -> None:
    wanted = {
        "id": 1,
        "Odd Name": "x",
        "a": 1 << 40,
        "b": True,
        "c": date(2026, 1, 2),
        "d": time(3, 4, 5, 6),
        "e": datetime(2026, 1, 2, 3, 4, 5),
        "f": Decimal("2.50"),
        "g": b"\x00\x01",
        "h": uuid.UUID(int=5),
        "i": [1, 2],
        "j": {"a", "b"},
        "k": {"x": 1},
        "l": {"street": "s", "number": 3},
        "m": (1, "t"),
        "n": 1.5,
        "o": "10.0.0.1",
        "p": 1 << 80,
        "q": [{"d": date(2026, 1, 2)}],
    }
    cassandra.run(
        f"""INSERT INTO {space}.kinds (id, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, "Odd Name") VALUES
        (1, {1 << 40}, true, '2026-01-02', '03:04:05.000006', '2026-01-02 03:04:05+0000', 2.50, 0x0001,
        {uuid.UUID(int=5)}, [1, 2], {{'a', 'b'}}, {{'x': 1}}, {{street: 's', number: 3}}, (1, 't'), 1.5,
        '10.0.0.1', {1 << 80}, [{{'d': '2026-01-02'}}], 'x')"""
    )
    cassandra.run(f"INSERT INTO {space}.kinds (id) VALUES (2)")
    # A cluster of the driver's defaults, made by the user.
    host, port = cassandra.host, cassandra.port

    def cluster() -> Any:
        from cassandra.cluster import Cluster

        return Cluster([host], port=port)

    source = CassandraSource.builder().set_cluster_builder(ClusterBuilder(cluster)).set_table(f"{space}.kinds").build()
    full, empty = sorted(rows_of(source), key=lambda row: row.id)
    # Collected bytes are a list of numbers, as in PyFlink; functions see bytes.
    assert full.as_dict() == {**wanted, "g": [0, 1]}
    assert sorted(rows_of(source, function=lambda row: (row.id, row.g))) == [(1, b"\x00\x01"), (2, None)]
    assert empty.as_dict() == {name: 2 if name == "id" else None for name in wanted}


def test_types_of_columns() -> None:
    assert type_of("frozen<map<text, frozen<list<int>>>>") == Types.MAP(Types.STRING(), Types.LIST(Types.INT()))
    assert type_of("vector<float, 3>") == Types.LIST(Types.FLOAT())
    assert type_of("tuple<int, frozen<set<text>>>") == Types.TUPLE([Types.INT(), Types.PICKLED_BYTE_ARRAY()])


def test_what_is_wrong_is_said_when_the_source_is_built(cassandra: Node, space: str) -> None:
    def builder() -> Any:
        return CassandraSource.builder().set_host(cassandra.host, cassandra.port).set_table(f"{space}.numbers")

    wrong = [
        (lambda: CassandraSource.builder().set_table("a.b").build(), "call set_host or set_cluster_builder"),
        (lambda: CassandraSource.builder().set_host("h").build(), "call set_table"),
        (lambda: builder().set_table("numbers"), "keyspace.table"),
        (
            lambda: builder().set_table(f"{space}.nowhere").build(),
            r"has no table .*\.nowhere; create it with CREATE TABLE",
        ),
        (lambda: builder().set_columns("id", "nam").build(), "no column 'nam'; it has id, name"),
        (lambda: builder().set_page_size(0), "at least one row"),
        (lambda: builder().set_where(" "), "a condition"),
        (lambda: builder().set_cluster_builder("host"), "CassandraSettings or a ClusterBuilder"),
    ]
    for make, says in wrong:
        with pytest.raises(ValidationError, match=says):
            make()
    with pytest.raises(ConnectionError, match=r"127.0.0.1:9\b"):
        CassandraSource.builder().set_host("127.0.0.1", 9).set_table("a.b").build()
    with pytest.raises(JobError, match="nam"):
        rows_of(builder().set_where("nam = 3").build())


def looked_up(lookup: CassandraLookup, records: list[Any]) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = AsyncDataStream.unordered_wait(env.from_collection(records), lookup, Time.seconds(20), 50)
    results = stream.execute_and_collect()
    with closing(results):  # type: ignore[type-var]
        return list(results)


def test_lookups(cassandra: Node, space: str) -> None:
    query = f"SELECT id, name FROM {space}.numbers WHERE id = ?"
    lookup = CassandraLookup(settings_of(cassandra), query, key=lambda record: record, left=True)
    found = dict(looked_up(lookup, [1, 2, 1, 99, None]))
    assert found == {1: Row(id=1, name="name 1"), 2: Row(id=2, name="name 2"), 99: None, None: None}

    wide = CassandraLookup(
        settings_of(cassandra, keyspace=space),
        "SELECT c FROM wide WHERE a = ? AND b = ?",
        key=lambda record: (record, "0"),
        join=lambda record, rows: [(record, sum(row.c for row in rows))],
    )
    assert looked_up(wide, [0]) == [(0, sum(n for n in range(60) if n % 3 == 0 and n % 2 == 0))]


def test_a_job_on_spark_reads_a_table_and_looks_rows_up(
    cassandra: Node, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_settings(), "executor", "spark")
    source = CassandraSource.builder().set_host(cassandra.host, cassandra.port).set_table(f"{space}.wide").build()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "table")
    lookup = CassandraLookup(
        settings_of(cassandra),
        f"SELECT name FROM {space}.numbers WHERE id = ?",
        key=lambda row: row.a,
        join=lambda row, found: [(row.c, found[0].name)],
    )
    results = AsyncDataStream.unordered_wait(rows, lookup, Time.seconds(20), 50).execute_and_collect()
    with closing(results):  # type: ignore[type-var]
        assert sorted(results) == [(n, f"name {n % 3}") for n in range(60)]


def test_lookups_that_are_wrong(cassandra: Node, space: str) -> None:
    with pytest.raises(ValidationError, match="expected a query such as"):
        CassandraLookup(settings_of(cassandra), "DELETE FROM t WHERE a = ?", key=lambda record: record)
    missing = CassandraLookup(
        settings_of(cassandra), f"SELECT a FROM {space}.no WHERE a = ?", key=lambda record: record
    )
    with pytest.raises(JobError, match="table no does not exist; create the table"):
        looked_up(missing, [1])
    query = f"SELECT id FROM {space}.numbers WHERE id = ?"
    with pytest.raises(JobError, match="1 parameters, and a key 2 values"):
        looked_up(CassandraLookup(settings_of(cassandra), query, key=lambda record: (1, 2)), [1])
