"""Cassandra as a sink: the suites of connectors, and what goes wrong, on a real node."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings as process_settings
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
from datastream.io import Backoff, Batch, CommitterContext, Sink, SinkWriter, Spool, WriterContext
from datastream.metrics import MetricRegistry
from datastream.testing.conformance import SinkConformance
from datastream.testing.connectors import check_sink
from datastream.time import Duration
from datastream.types import Row
from tests.support.servers.cassandra import Node, OwnNode

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("in_this_process")]

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


def new_environment() -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    return env


def run_job(records: list[Any], sink: Sink) -> None:
    env = new_environment()
    env.from_collection(records).sink_to(sink)
    env.execute()


def writer_of(sink: Sink, folder: Path) -> tuple[SinkWriter, MetricRegistry]:
    registry = MetricRegistry("job", "sink", "uid", 0)
    spool = Spool(str(folder), "uid")
    return sink.create_writer(WriterContext("job", "uid", 0, 1, registry.group, logging.getLogger(), spool)), registry


def counted(registry: MetricRegistry, name: str) -> int:
    return int(registry.group.counter(name).get_count())


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
    @pytest.mark.timeout(900)
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


def test_a_job_as_in_flinks_documentation(cassandra: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_settings(), "executor", "spark")
    space = cassandra.keyspace("CREATE TABLE wordcount (word text PRIMARY KEY, count bigint)")
    env = new_environment()
    env.add_jars("file:///opt/flink-connector-cassandra_2.12-3.2.0-1.19.jar")
    text = env.from_collection(["to be or", "not to be"])
    result = (
        text.flat_map(lambda line: [(word, 1) for word in line.split()])
        .key_by(lambda pair: pair[0])
        .reduce(lambda a, b: (a[0], a[1] + b[1]))
    )
    CassandraSink.add_sink(result).set_query(f"INSERT INTO {space}.wordcount(word, count) values (?, ?);").set_host(
        cassandra.host, cassandra.port
    ).build()
    env.execute()
    rows = cassandra.run(f"SELECT word, count FROM {space}.wordcount")
    assert sorted(map(tuple, rows)) == [("be", 2), ("not", 1), ("or", 1), ("to", 2)]


def test_pyflinks_names_are_there(cassandra: Node, space: str) -> None:
    env = new_environment()
    stream = env.from_collection([Row("ann", 7, None)], Types.ROW([Types.STRING(), Types.INT(), Types.STRING()]))
    settings = settings_of(cassandra, space)
    built = (
        CassandraSink.add_sink(stream)
        .set_query("INSERT INTO totals (customer, total, note) VALUES (?, ?, ?)")
        .set_cluster_builder(ClusterBuilder(settings.build_cluster))
        .set_mapper_options(MapperOptions().ttl(1800))
        .set_failure_handler(CassandraFailureHandler.no_op())
        .set_max_concurrent_requests(5, Duration.of_seconds(3))
        .enable_ignore_null_fields()
    )
    with pytest.raises(JobError, match="No keyspace has been specified.*; write keyspace.table"):
        built.build()
        env.execute()
    cassandra.run(f"INSERT INTO {space}.totals (customer, note) VALUES ('ann', 'kept')")
    env = new_environment()
    stream = env.from_collection([Row("ann", 7, None)])
    builder = CassandraSink.CassandraSinkBuilder(stream)
    builder.set_query(f"INSERT INTO {space}.totals (customer, total, note) VALUES (?, ?, ?)")
    builder.set_cluster_builder(ClusterBuilder(settings.build_cluster)).enable_ignore_null_fields()
    log = CassandraCommitter.default_checkpoint_committer(settings, space)
    sink = builder.enable_write_ahead_log(log).build()
    sink.name("totals").uid("totals").set_uid_hash("totals").set_parallelism(1).disable_chaining()
    sink.slot_sharing_group("other")
    env.execute()
    (row,) = cassandra.run(f"SELECT total, note FROM {space}.totals WHERE customer = 'ann'")
    assert tuple(row) == (7, "kept")


@dataclass
class Reading:
    __table_name__: ClassVar[str] = "reading"
    sensor: str
    at: int
    value: float | None
    note: str | None = None


def test_dataclass_objects_by_mapper_options(cassandra: Node, space: str) -> None:
    settings = settings_of(cassandra, space)

    def write(record: Reading, options: MapperOptions | None = None) -> Any:
        env = new_environment()
        builder = CassandraSink.add_sink(env.from_collection([record])).set_cluster_builder(settings)
        if options is not None:
            builder.set_mapper_options(options)
        builder.build()
        env.execute()
        (row,) = cassandra.run(
            f"SELECT value, note, ttl(value) AS lives, writetime(value) AS at FROM {space}.reading "
            f"WHERE sensor = '{record.sensor}' AND at = {record.at}"
        )
        return row

    old = 1_000_000
    options = MapperOptions().ttl(1800).timestamp(old).consistency_level(ConsistencyLevel.ONE).tracing(True)
    row = write(Reading("a", 1, 0.5, "x"), options)
    assert (row.value, row.note, row.at) == (0.5, "x", old) and 1700 < row.lives <= 1800
    assert tuple(write(Reading("a", 1, 1.5), MapperOptions().save_null_fields(False)))[:2] == (1.5, "x")
    assert tuple(write(Reading("a", 1, 2.5), MapperOptions().if_not_exists(True)))[:2] == (1.5, "x")
    assert tuple(write(Reading("a", 1, 3.5)))[:3] == (3.5, None, None)
    with pytest.raises(JobError, match="must be objects of a dataclass, got 5; call set_query"):
        env = new_environment()
        CassandraSink.add_sink(env.from_collection([5])).set_cluster_builder(settings).build()
        env.execute()


def test_the_last_write_of_a_row_stands(cassandra: Node, space: str) -> None:
    records = [(f"c{n % 3}", n) for n in range(2000)]
    run_job(records, sink_of(cassandra, space, "INSERT INTO totals (customer, total) VALUES (?, ?)"))
    rows = cassandra.run(f"SELECT customer, total FROM {space}.totals WHERE customer IN ('c0', 'c1', 'c2')")
    assert dict(map(tuple, rows)) == {"c0": 1998, "c1": 1999, "c2": 1997}


def test_counters_and_lists(cassandra: Node, space: str) -> None:
    log = CassandraCommitter.default_checkpoint_committer(settings_of(cassandra), space)
    count = sink_of(cassandra, space, "UPDATE counts SET n = n + ? WHERE id = ?")
    grow = sink_of(cassandra, space, "UPDATE lists SET items = items + ? WHERE id = ?")
    for make in (lambda sink: sink, lambda sink: CassandraLogSink(sink, log)):
        run_job([(1, n % 4) for n in range(1200)], make(count))
        run_job([([str(n)], 1) for n in range(3)], make(grow))
    rows = cassandra.run(f"SELECT id, n FROM {space}.counts")
    # At least once: a node that is too busy to answer in time may have counted all the same.
    assert sorted(row.id for row in rows) == [0, 1, 2, 3] and all(row.n >= 600 for row in rows)
    items = cassandra.run(f"SELECT items FROM {space}.lists")[0].items
    assert set(items) == {"0", "1", "2"} and len(items) >= 6


def test_of_an_epoch_that_runs_again_amid_its_commit_the_first_try_stands(
    cassandra: Node, space: str, tmp_path: Path
) -> None:
    world = str(tmp_path)
    plain = sink_of(cassandra, space, f"INSERT INTO numbers (world, id, name) VALUES ('{world}', ?, ?)")
    sink = CassandraLogSink(plain, CassandraCommitter.default_checkpoint_committer(settings_of(cassandra), space))
    context = CommitterContext("again", world, 1, logging.getLogger(), Spool(str(tmp_path), "uid"))

    def prepared(name: str) -> Any:
        registry = MetricRegistry("job", "sink", "uid", 0)
        writer = sink.create_writer(
            WriterContext("again", world, 0, 1, registry.group, logging.getLogger(), context.spool)
        )
        writer.begin(0, 0)
        writer.write(Batch([(n, name) for n in range(1200)]))
        part = writer.prepare_commit()
        writer.close()
        return part

    first, second = prepared("first"), prepared("second")
    committer: Any = sink.create_committer(context)
    before = committer._apply
    committer._apply = lambda parts, progress: pytest.fail("killed")
    with pytest.raises(pytest.fail.Exception):
        committer.commit(0, [first], False)
    assert cassandra.run(f"SELECT id FROM {space}.numbers WHERE world = '{world}'") == []
    committer.close()
    committer = sink.create_committer(context)
    assert before is not None
    committer.commit(0, [second], False)
    committer.commit(0, [second], False)
    committer.abort(0, [second])
    committer.close()
    names = [row.name for row in cassandra.run(f"SELECT name FROM {space}.numbers WHERE world = '{world}'")]
    assert names == ["first"] * 1200
    assert cassandra.run(f"SELECT part FROM {space}.datastream_log WHERE name = 'again/{world}' ALLOW FILTERING") == []


def test_what_is_not_there_is_said(cassandra: Node, space: str) -> None:
    cases = [
        (sink_of(cassandra, space, "INSERT INTO nope (id) VALUES (?)"), "table nope does not exist; create the table"),
        (
            sink_of(cassandra, "nowhere", "INSERT INTO t (id) VALUES (?)"),
            "'?nowhere'? does not exist; create it with CREATE",
        ),
        (sink_of(cassandra, space, "INSERT INTO totals (customer, x) VALUES (?, ?)"), "x"),
        (sink_of(cassandra, space, "INSERT INTO totals SET (?)"), "the statement is 'INSERT INTO totals SET"),
        (
            sink_of(cassandra, space, "INSERT INTO totals (customer) VALUES (?)"),
            r"1 parameters, and a record 2 fields: \(1",
        ),
    ]
    for sink, says in cases:
        with pytest.raises(JobError, match=says) as failed:
            run_job([(1, 2)], sink)
        assert not is_transient(failed.value)


def test_a_record_that_is_refused_is_named(cassandra: Node, space: str, tmp_path: Path) -> None:
    cql = "INSERT INTO totals (customer, total) VALUES (?, ?)"
    for bad, why in ((("p2", "many"), "total"), ((None, 1), "null value"), (("x" * 70_000, 1), "length")):
        records = [("p1", 1), bad, ("p3", 3)]
        says = rf"refuses the record \({repr(bad[0])[:3]}.*{why}"
        with pytest.raises(JobError, match=says) as failed:
            run_job(records, sink_of(cassandra, space, cql))
        assert len(str(failed.value)) < 5000
        seen: list[Exception] = []
        handler = CassandraFailureHandler(seen.append)
        writer, registry = writer_of(sink_of(cassandra, space, cql, failure_handler=handler), tmp_path)
        writer.begin(0, 0)
        writer.write(Batch(records))
        writer.prepare_commit()
        writer.close()
        assert len(seen) == 1 and counted(registry, "numRecordsSendErrors") == 1
        rows = cassandra.run(f"SELECT total FROM {space}.totals WHERE customer IN ('p1', 'p3')")
        assert sorted(row.total for row in rows) == [1, 3]


def test_a_cluster_without_room_gets_the_records_again(cassandra: Node, tmp_path: Path) -> None:
    space = cassandra.keyspace(TABLES[3])
    strategy = f"ALTER KEYSPACE {space} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': %d}}"
    cassandra.run(strategy % 3)  # of which one is there
    records = [(f"c{n % 7}", n) for n in range(100)]
    cql = "INSERT INTO totals (customer, total) VALUES (?, ?)"
    with pytest.raises(JobError, match="it had no room for 100 records"):
        run_job(records, sink_of(cassandra, space, cql))

    writer, registry = writer_of(sink_of(cassandra, space, cql, backoff=Backoff(retries=100, factor=1)), tmp_path)
    writer.begin(0, 0)
    writer.write(Batch(records))
    relief = threading.Timer(0.5, lambda: cassandra.run(strategy % 1))
    relief.start()
    writer.prepare_commit()
    writer.close()
    relief.join()
    assert counted(registry, "numRetries") >= 1 and counted(registry, "numBatches") == 1
    assert counted(registry, "numBytesOut") > 400
    rows = cassandra.run(f"SELECT customer, total FROM {space}.totals")
    assert dict(map(tuple, rows)) == {f"c{n % 7}": n for n in range(93, 100)}


def test_a_cluster_that_is_away_is_named_and_no_password_is_shown(cassandra: Node) -> None:
    settings = CassandraSettings(("127.0.0.1",), 9, user="u", password="s3cret")
    away = CassandraRowSink(settings, "INSERT INTO a.b (c) VALUES (?)", backoff=QUICK)
    with pytest.raises(JobError, match=r"127\.0\.0\.1:9\b.*refused") as failed:
        run_job([(1,)], away)
    assert is_transient(failed.value) and "s3cret" not in f"{failed.value!r}{failed.value}{away!r}{settings!r}"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("own_cassandra", [True], indirect=True)
def test_wrong_credentials(own_cassandra: OwnNode) -> None:
    space = own_cassandra.keyspace(TABLES[3])
    cql = "INSERT INTO totals (customer, total) VALUES (?, ?)"
    for login in ({}, {"user": "cassandra", "password": "wr0ng"}):
        settings = CassandraSettings((own_cassandra.host,), own_cassandra.port, keyspace=space, **login)
        with pytest.raises(JobError, match="check user and password in CassandraSettings") as failed:
            run_job([("a", 1)], CassandraRowSink(settings, cql))
        assert not is_transient(failed.value) and "wr0ng" not in str(failed.value)
    good = CassandraSettings((own_cassandra.host,), own_cassandra.port, "cassandra", "cassandra", keyspace=space)
    run_job([("a", 1)], CassandraRowSink(good, cql))
    assert len(own_cassandra.run(f"SELECT * FROM {space}.totals")) == 1


@pytest.mark.timeout(900)
@pytest.mark.parametrize("logged", [False, True])
def test_a_node_that_is_killed_amid_a_job(own_cassandra: OwnNode, tmp_path: Path, logged: bool) -> None:
    space = own_cassandra.keyspace(TABLES[3])
    settings = settings_of(own_cassandra, space, request_timeout_ms=5_000)
    plain = CassandraRowSink(
        settings,
        "INSERT INTO totals (customer, total) VALUES (?, ?)",
        backoff=Backoff(retries=400, initial_ms=500, factor=1),
        batch_size=50,
    )
    sink: Sink = CassandraLogSink(plain, CassandraCommitter.default_checkpoint_committer(settings)) if logged else plain
    ended = threading.Event()

    def disturb() -> None:
        time.sleep(0.3)
        own_cassandra.kill()
        own_cassandra.start()
        ended.set()

    writer, registry = writer_of(sink, tmp_path)
    thread = threading.Thread(target=disturb)
    thread.start()
    context = CommitterContext("job", "uid", 1, logging.getLogger(), Spool(str(tmp_path), "uid"))
    committer = sink.create_committer(context)
    epoch = 0
    while not ended.is_set() or epoch < 5:
        writer.begin(epoch, 0)
        writer.write(Batch([(f"c{n}", epoch) for n in range(500)]))
        part = writer.prepare_commit()
        if committer is not None:
            committer.commit(epoch, [part], False)
        epoch += 1
    thread.join()
    writer.close()
    assert counted(registry, "numRetries") >= (0 if logged else 1)
    rows = own_cassandra.run(f"SELECT customer, total FROM {space}.totals")
    assert dict(map(tuple, rows)) == {f"c{n}": epoch - 1 for n in range(500)}


def test_wrong_settings(cassandra: Node) -> None:
    env = new_environment()
    stream = env.from_collection([(1,)])
    query = "INSERT INTO a.b (c) VALUES (?)"
    builder = CassandraSink.add_sink
    settings = CassandraSettings(("h",))
    wrong = [
        (lambda: builder(5), "needs a DataStream"),
        (lambda: builder(stream).set_query(query).build(), "call set_host or set_cluster_builder"),
        (lambda: builder(stream).set_query("SELECT 1"), "expected INSERT, UPDATE or DELETE"),
        (lambda: builder(stream).set_query("INSERT INTO a.b (c) VALUES ('?')"), "no parameter"),
        (lambda: builder(stream).set_query(None), "expected a statement such as"),
        (lambda: builder(stream).set_host("h").set_cluster_builder(settings), "not both"),
        (lambda: builder(stream).set_cluster_builder(settings).set_host("h"), "not both"),
        (lambda: builder(stream).set_max_concurrent_requests(0), "at least 1"),
        (lambda: builder(stream).set_max_concurrent_requests(1, 5), "must be a Duration"),
        (lambda: builder(stream).set_mapper_options({}), "needs MapperOptions"),
        (lambda: builder(stream).set_failure_handler(print), "needs a CassandraFailureHandler"),
        (lambda: builder(stream).enable_write_ahead_log(5), "needs a CassandraCommitter"),
        (lambda: MapperOptions().ttl(-1), "at least 0"),
        (lambda: MapperOptions().consistency_level(1), "needs a ConsistencyLevel"),
        (lambda: CassandraSettings(()), "names or addresses"),
        (lambda: CassandraSettings(("h",), 0), "between 1 and 65535"),
        (lambda: CassandraSettings(("h",), user="u"), "give both or none"),
        (lambda: CassandraRowSink(settings, query, rows_per_request=0), "rows_per_request"),
        (lambda: CassandraRowSink("h", query), "CassandraSettings or a ClusterBuilder"),
        (lambda: CassandraCommitter(settings, "a; drop"), "no name of a keyspace"),
        (lambda: ClusterBuilder(), "needs a function"),
    ]
    for make, says in wrong:
        with pytest.raises(ValidationError, match=says):
            make()
    for cls in (ClusterBuilder, CassandraFailureHandler, CassandraCommitter):
        with pytest.raises(UnsupportedOperation, match="objects of Java"):
            cls("java")
