"""Elasticsearch, on a real server: with a crash before and after every call, and all that can go wrong."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import urllib3

from datastream import JobError, Row, StreamExecutionEnvironment
from datastream.config import Configuration
from datastream.config.settings import settings as process_settings
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
from datastream.errors import CheckpointError, UnsupportedOperation, ValidationError, is_transient
from datastream.io import (
    Backoff,
    Batch,
    EnumeratorContext,
    ReaderContext,
    Sink,
    SourceReader,
    SplitEnumerator,
    Spool,
    WriterContext,
)
from datastream.metrics import MetricRegistry
from datastream.testing.conformance import SinkConformance, SourceConformance
from datastream.time import WatermarkStrategy
from tests.support.servers.elasticsearch import LIMITED, PASSWORD, ElasticsearchServer, OwnElasticsearch

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("in_this_process")]

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
    """One index, emptied for each trial."""

    secrets = (PASSWORD,)
    most_actions = 2

    @pytest.fixture(autouse=True)
    def _server(self, elasticsearch: ElasticsearchServer) -> None:
        self.server = elasticsearch
        self.index = elasticsearch.index(number="integer")

    def create(self, folder: Path) -> Sink:
        self.server.clear(self.index)
        return self.builder().set_bulk_flush_max_actions(self.most_actions).build()

    def builder(self) -> ElasticsearchSinkBuilder:
        raise NotImplementedError

    def record(self, number: int) -> Any:
        return {"number": number}

    def written(self, folder: Path) -> Iterable[Any]:
        return list(self.server.documents(self.index).values())

    def test_it_takes_a_large_batch(self, tmp_path: Path) -> None:
        self.most_actions = 1000
        super().test_it_takes_a_large_batch(tmp_path)

    def unreachable(self) -> Sink:
        settings = ElasticsearchConnection((AWAY,), "tester", PASSWORD)
        emitter = ElasticsearchEmitter.static_index("any")
        return ElasticsearchSink.builder().set_connection(settings).set_emitter(emitter).set_backoff(QUICK).build()


class TestSinkWithKeys(_Sinks):
    @pytest.mark.long
    @pytest.mark.timeout(900)
    def test_it_loses_and_doubles_nothing_in_crashes(self, tmp_path: Path) -> None:
        super().test_it_loses_and_doubles_nothing_in_crashes(tmp_path)

    def builder(self) -> ElasticsearchSinkBuilder:
        return builder(self.server, ElasticsearchEmitter.static_index(self.index, "number"))


class TestExactlyOnceSink(_Sinks):
    def builder(self) -> ElasticsearchSinkBuilder:
        made = builder(self.server, ElasticsearchEmitter.static_index(self.index))
        return made.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)


class TestAtLeastOnceSink(_Sinks):
    exactly_once = False

    @pytest.mark.long
    @pytest.mark.timeout(900)
    def test_it_loses_and_doubles_nothing_in_crashes(self, tmp_path: Path) -> None:
        super().test_it_loses_and_doubles_nothing_in_crashes(tmp_path)

    def builder(self) -> ElasticsearchSinkBuilder:
        return builder(self.server, ElasticsearchEmitter.static_index(self.index))


class TestSource(SourceConformance):
    expected: Iterable[Any] = [{"number": n} for n in range(5)]
    secrets = (PASSWORD,)

    @pytest.fixture(autouse=True)
    def _server(self, elasticsearch: ElasticsearchServer) -> None:
        self.server = elasticsearch
        self.name = elasticsearch.index(number="integer")
        fill(elasticsearch, self.name, len(list(self.expected)))

    def create(self, folder: Path) -> ElasticsearchSource:
        return ElasticsearchSource(self.name, connection=connection(self.server), page_size=2)

    def unreachable(self) -> ElasticsearchSource:
        return ElasticsearchSource("any", connection=ElasticsearchConnection((AWAY,), "tester", PASSWORD))


def fill(server: ElasticsearchServer, index: str, count: int) -> None:
    operations: list[Any] = []
    for n in range(count):
        operations += [{"index": {"_id": str(n)}}, {"number": n}]
    server.api.bulk(index=index, operations=operations, refresh=True)


EXAMPLE = """
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors import DeliveryGuarantee
from pyflink.datastream.connectors.elasticsearch import (
    Elasticsearch6SinkBuilder, Elasticsearch7SinkBuilder, ElasticsearchEmitter, FlushBackoffType
)

def write(env, builder, emitter, guarantee):
    ds = env.from_collection(
        [{'name': 'ada', 'id': '1'}, {'name': 'luna', 'id': '2'}],
        type_info=Types.MAP(Types.STRING(), Types.STRING()))
    es_sink = builder() \\
        .set_emitter(emitter) \\
        .set_hosts([HOST]) \\
        .set_delivery_guarantee(guarantee) \\
        .set_bulk_flush_max_actions(1) \\
        .set_bulk_flush_max_size_mb(2) \\
        .set_bulk_flush_interval(1000) \\
        .set_bulk_flush_backoff_strategy(FlushBackoffType.CONSTANT, 3, 3000) \\
        .set_connection_username(USER) \\
        .set_connection_password(PASSWORD) \\
        .set_connection_request_timeout(30000) \\
        .set_connection_timeout(31000) \\
        .set_socket_timeout(32000) \\
        .build()
    ds.sink_to(es_sink).name('es sink')
    env.execute()

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.add_jars('file:///path/to/flink-sql-connector-elasticsearch7-1.16.0.jar')
write(env, Elasticsearch6SinkBuilder, ElasticsearchEmitter.static_index(A, 'id', 'bar'), DeliveryGuarantee.NONE)
write(env, Elasticsearch7SinkBuilder, ElasticsearchEmitter.static_index(B, 'id'), DeliveryGuarantee.AT_LEAST_ONCE)
write(env, Elasticsearch7SinkBuilder, ElasticsearchEmitter.dynamic_index('name', 'id'), DeliveryGuarantee.NONE)
"""


@pytest.mark.usefixtures("pyflink")
def test_the_example_of_pyflink(elasticsearch: ElasticsearchServer) -> None:
    a, b = elasticsearch.index(), elasticsearch.index()
    names = {"HOST": elasticsearch.address, "USER": elasticsearch.user, "PASSWORD": elasticsearch.password}
    exec(EXAMPLE, {**names, "A": a, "B": b})
    ada, luna = {"name": "ada", "id": "1"}, {"name": "luna", "id": "2"}
    assert elasticsearch.documents(a) == elasticsearch.documents(b) == {"1": ada, "2": luna}
    assert elasticsearch.documents("ada") == {"1": ada}
    assert elasticsearch.documents("luna") == {"2": luna}
    elasticsearch.api.indices.delete(index="ada,luna")


def test_exactly_once_on_spark_after_a_failure(
    elasticsearch: ElasticsearchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task fails when it has written some of its documents, and runs again."""
    monkeypatch.setattr(process_settings(), "executor", "spark")
    index = elasticsearch.index(number="integer")
    mark = tmp_path / "failed"

    def once(record: Any) -> Any:
        if record["number"] == 30 and not mark.exists():
            mark.touch()
            raise ConnectionError("for the test")
        return Index(index, record)

    sink = builder(elasticsearch, once).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.dir", str(tmp_path / "checkpoint"))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    records = [{"number": n} for n in range(50)]
    env.from_collection(records).sink_to(sink.set_bulk_flush_max_actions(7).build()).uid("sink")
    env.execute()
    assert mark.exists()
    assert sorted(d["number"] for d in elasticsearch.documents(index).values()) == list(range(50))


def test_actions_of_all_kinds(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index()
    steps: list[Any] = [
        [
            Index(index, {"a": 1, "b": 1}, 1),
            Index(index, {"a": 1}, 2, routing="x"),
            Index(index, {"a": 5}, 3, version=7),
        ],
        [Create(index, {"a": 9}, 1), Create(index, {"a": 4}, 4)],
        Update(index, 1, {"a": 2}),
        [Update(index, 5, {"a": 6}, upsert=True), Update(index, 6, {"b": 0}, upsert={"a": 7})],
        [Delete(index, 2, routing="x"), Delete(index, "never there")],
        [Index(index, {"a": 6}, 3, version=6), Index(index, {"a": 8}, 3, version=8), Delete(index, 3, version=7)],
        None,
    ]
    for sixth in ({"a": 7}, {"a": 7, "b": 0}):  # the second time as after a failure
        run_job(builder(elasticsearch, lambda number: steps[number]).build(), list(range(len(steps))))
        assert elasticsearch.documents(index) == {
            "1": {"a": 2, "b": 1},
            "3": {"a": 8},
            "4": {"a": 4},
            "5": {"a": 6},
            "6": sixth,
        }


def test_values_of_many_types(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index()
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    record = {"d": when, "n": Decimal("2.50"), "b": b"ab", "s": {1}, "r": Row(x=1), "t": (1, 2), "none": None}
    run_job(builder(elasticsearch, ElasticsearchEmitter.static_index(index)).build(), [record, Row(x=2)])
    found = sorted(elasticsearch.documents(index).values(), key=len)
    assert found == [
        {"x": 2},
        {
            "d": "2026-01-02T03:04:05+00:00",
            "n": "2.50",
            "b": "YWI=",
            "s": [1],
            "r": {"x": 1},
            "t": [1, 2],
            "none": None,
        },
    ]


def test_a_record_that_is_refused_is_named(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index(number="integer")
    sink = builder(elasticsearch, ElasticsearchEmitter.static_index(index, "id")).build()
    said = rf"operator 'sink'.*refuses to update a document of '{index}' with the id '2': 400 .*failed to parse.*'many'"
    with pytest.raises(JobError, match=said):
        run_job(sink, [{"id": 1, "number": 1}, {"id": 2, "number": "many"}])
    for record, says in (
        ({"number": 1}, "has no 'id', its key_field"),
        ({"id": 1, "x": object()}, "has no form in JSON: a value of type object"),
        ((1, 2), "expected a document: a dict"),
    ):
        with pytest.raises(JobError, match=says):
            run_job(sink, [record])


def test_what_a_failure_handler_may_do(elasticsearch: ElasticsearchServer) -> None:
    index, dead = elasticsearch.index(number="integer"), elasticsearch.index()
    seen: list[FailedAction] = []

    def handler(failed: FailedAction) -> Any:
        seen.append(failed)
        if failed.kind is FailureKind.MISSING:
            return Resolution.IGNORE
        assert failed.document is not None
        return Index(index, {"number": -1}, failed.id)

    good, bad = Index(index, {"number": 1}, 1), Index(index, {"number": "many"}, 2)
    steps = [good, bad, Update(index, 3, {"number": 3}), Create(index, {"number": 7}, 1)]
    written = {"1": {"number": 1}, "2": {"number": -1}}
    write(builder(elasticsearch, lambda action: action).set_failure_handler(handler).build(), steps[:3])
    assert elasticsearch.documents(index) == written
    assert [(f.kind, f.operation, f.id, f.status) for f in seen] == [
        (FailureKind.REFUSED, "index", "2", 400),
        (FailureKind.MISSING, "update", "3", 404),
    ]
    assert seen[0].document == {"number": "many"} and "parse" in seen[0].reason
    metrics = write(builder(elasticsearch, lambda action: action).set_failure_handler(ignore).build(), steps)
    assert metrics["numRecordsSendErrors"] == 2
    for _ in range(2):
        write(builder(elasticsearch, lambda action: action).set_failure_handler(dead_letter(dead)).build(), steps)
    assert elasticsearch.documents(index) == written
    letters = {letter["id"]: letter for letter in elasticsearch.documents(dead).values()}
    assert len(elasticsearch.documents(dead)) == 2 and set(letters) == {"2", "3"}
    assert (letters["2"]["document"], letters["2"]["status"]) == ('{"number":"many"}', 400)
    with pytest.raises(ValidationError, match="gave 'nonsense', expected a Resolution"):
        write(builder(elasticsearch, lambda a: a).set_failure_handler(lambda f: "nonsense").build(), steps)  # type: ignore[arg-type, return-value]


def write(sink: Sink, records: list[Any]) -> dict[str, int]:
    """Write an epoch by the contract; what the counters counted."""
    registry = MetricRegistry("job", "sink", "uid", 0)
    context = WriterContext("job", "uid", 0, 1, registry.group, logging.getLogger("test"), Spool(None, "uid"))
    writer = sink.create_writer(context)
    writer.begin(0, 0)
    writer.write(Batch(records))
    writer.prepare_commit()
    writer.close()
    return {name: context.metrics.counter(name).get_count() for name in COUNTERS}


COUNTERS = ("numBatches", "numBytesOut", "numRetries", "numRecordsSendErrors")


def test_batches_end_by_number_and_by_bytes(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index()
    emitter = ElasticsearchEmitter.static_index(index)
    records = [{"text": "x" * 300_000} for _ in range(8)]
    by_bytes = write(builder(elasticsearch, emitter).set_bulk_flush_max_size_mb(1).build(), records)
    assert by_bytes["numBatches"] == 3 and by_bytes["numBytesOut"] > 2_400_000
    assert write(builder(elasticsearch, emitter).set_bulk_flush_max_actions(3).build(), records)["numBatches"] == 3
    assert write(builder(elasticsearch, emitter).set_bulk_flush_max_actions(-1).build(), records)["numBatches"] == 1
    assert len(elasticsearch.documents(index)) == 24


class Front(BaseHTTPRequestHandler):
    """In front of a server: has no room some times, and takes no large request."""

    target: ClassVar[str]
    full: ClassVar[int]
    most_bytes: ClassVar[int] = 1 << 30
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) > self.most_bytes:
            self.answer(413, b"{}")
        elif self.full > 0:
            type(self).full -= 1
            self.answer(429, b'{"error": {"type": "es_rejected_execution_exception", "reason": "full"}}')
        else:
            headers = {name: self.headers[name] for name in ("Authorization", "Content-Type", "Accept")}
            response = urllib3.request("POST", f"http://{self.target}{self.path}", body=body, headers=headers)
            self.answer(response.status, response.data)

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Type", "application/vnd.elasticsearch+json;compatible-with=8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def in_front(server: ElasticsearchServer, full: int = 0, most_bytes: int = 1 << 30) -> Iterator[ElasticsearchServer]:
    front = type("OwnFront", (Front,), {"target": server.address, "full": full, "most_bytes": most_bytes})
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), front)
    thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield ElasticsearchServer(f"127.0.0.1:{proxy.server_address[1]}", server.user, server.password)
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()


def test_a_server_without_room_is_tried_again(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index()
    emitter = ElasticsearchEmitter.static_index(index, "n")
    records = [{"n": n} for n in range(6)]
    with in_front(elasticsearch, full=2) as front:
        assert write(builder(front, emitter).build(), records)["numRetries"] == 2
    assert len(elasticsearch.documents(index)) == 6
    with in_front(elasticsearch, full=9) as front, pytest.raises(ConnectionError, match="no room for 6 records"):
        write(builder(front, emitter).build(), records)
    sevens = Elasticsearch7SinkBuilder().set_emitter(emitter)
    with in_front(elasticsearch, full=1) as front, pytest.raises(ConnectionError, match="not taken by 1 tries"):
        write(sevens.set_hosts(front.address).build(), records)


def test_a_server_without_room_for_some_documents(elasticsearch: ElasticsearchServer) -> None:
    """Its queue of writes is full of the batch before, say: the server answers 429 for single documents."""
    index = elasticsearch.index()
    sink = builder(elasticsearch, ElasticsearchEmitter.static_index(index, "n")).build()
    room = {"update": {"status": 200}}
    none = {"update": {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "full"}}}
    link: Any = SimpleNamespace(context=SimpleNamespace(logger=logging.getLogger("test")))
    lines = [line for n in range(3) for line in sink.emitter._request_lines({"n": n}, None)]
    assert sink._look_at(link, lines, {"items": [none, room, none]}, ignore) == [lines[0], lines[2]]


def test_a_document_keeps_the_order_of_its_actions_when_one_is_tried_again(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index()
    sink = builder(elasticsearch, ElasticsearchEmitter.of(lambda action: action)).build()
    actions = [
        Index(index, {"n": 1}, "a"),
        Index(index, {"n": 2}, "b"),
        Delete(index, "a"),
        Index(index, {"n": 3}),
        Index(index, {"n": 4}),
        Delete(index, "b"),
    ]
    lines = [line for action in actions for line in sink.emitter._request_lines(action, None)]
    room = {"index": {"status": 200}}
    none = {"index": {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "full"}}}
    client = sink.connection.connect()
    link: Any = SimpleNamespace(client=client, context=SimpleNamespace(logger=logging.getLogger("test")))
    left = sink._look_at(link, lines, {"items": [none, room, room, none, room, room]}, ignore)
    assert left == [lines[0], lines[2], lines[3]]
    assert list(sink.write(link, left)) == []
    client.close()
    assert [document["n"] for document in elasticsearch.documents(index).values()] == [3]


def test_too_large_a_batch_is_sent_in_halves(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index()
    with in_front(elasticsearch, most_bytes=500) as front:
        sink = builder(front, ElasticsearchEmitter.static_index(index, "n")).build()
        write(sink, [{"n": n, "text": "x" * 50} for n in range(20)])
        assert len(elasticsearch.documents(index)) == 20
        with pytest.raises(ValidationError, match="refuses a batch of 1: 413"):
            write(sink, [{"n": 0, "text": "x" * 600}])


def test_a_cluster_that_is_away() -> None:
    emitter = ElasticsearchEmitter.static_index("any")
    sink = Elasticsearch7SinkBuilder().set_hosts(AWAY).set_emitter(emitter).build()
    with pytest.raises(JobError, match=f"Elasticsearch at {AWAY}.*refused") as failed:
        run_job(sink, [{"a": 1}])
    assert is_transient(failed.value)


def test_wrong_credentials(elasticsearch: ElasticsearchServer) -> None:
    elasticsearch.needs_password()
    index = elasticsearch.index()
    wrong = {"user_name": None, "password": None, "api_key": "d3Jvbmc6d3Jvbmc="}
    for settings in ({"password": "s3cret"}, wrong):
        reached = connection(elasticsearch, **settings)
        emitter = ElasticsearchEmitter.static_index(index)
        sink = ElasticsearchSink.builder().set_connection(reached).set_emitter(emitter).build()
        with pytest.raises(
            JobError, match=f"{elasticsearch.address}: 401 security_exception.*check the user"
        ) as failed:
            run_job(sink, [{"a": 1}])
        assert not is_transient(failed.value)
        assert "s3cret" not in str(failed.value) and "s3cret" not in repr(sink)
        with pytest.raises(JobError, match="401 security_exception.*check the user"):
            read(ElasticsearchSource(index, connection=reached))


def test_a_right_that_is_missing(elasticsearch: ElasticsearchServer) -> None:
    elasticsearch.needs_password()
    mine, other = elasticsearch.index(LIMITED), elasticsearch.index()
    reached = connection(elasticsearch, user_name=LIMITED)
    emitter = ElasticsearchEmitter.dynamic_index("index", "id")
    sink = ElasticsearchSink.builder().set_connection(reached).set_emitter(emitter).set_failure_handler(ignore).build()
    run_job(sink, [{"index": mine, "id": 1}])
    assert len(elasticsearch.documents(mine)) == 1
    with pytest.raises(JobError, match=f"{other}.*403 security_exception.*unauthorized for user .limited"):
        run_job(sink, [{"index": other, "id": 1}])


def test_a_missing_index(elasticsearch: ElasticsearchServer) -> None:
    elasticsearch.api.cluster.put_settings(persistent={"action.auto_create_index": "-refused*,+*"})
    try:
        sink = builder(elasticsearch, ElasticsearchEmitter.static_index("refused-1")).build()
        with pytest.raises(JobError, match="create the index 'refused-1'"):
            run_job(sink, [{"a": 1}])
    finally:
        elasticsearch.api.cluster.put_settings(persistent={"action.auto_create_index": None})
    with pytest.raises(JobError, match="has no index 'refused-1'.*create it"):
        read(ElasticsearchSource("refused-1", connection=connection(elasticsearch)))


@pytest.mark.parametrize("status", [200, 406])
def test_a_server_of_another_kind(status: int) -> None:
    """OpenSearch answers 406 to the media type of Elastic's client."""

    class Other(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"errors": false}')

        def log_message(self, *_: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, args=(0.01,)).start()
        host = f"127.0.0.1:{other.server_address[1]}"
        sink = Elasticsearch7SinkBuilder().set_hosts(host).set_emitter(ElasticsearchEmitter.static_index("any")).build()
        with pytest.raises(ValidationError, match=f"{host} is not Elasticsearch"):
            write(sink, [{"a": 1}])
        other.shutdown()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_server_that_dies_and_comes_back(own_elasticsearch: OwnElasticsearch) -> None:
    server = own_elasticsearch
    index = server.index()
    emitter = ElasticsearchEmitter.static_index(index)
    made = builder(server, emitter).set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    sink = made.set_backoff(Backoff(200, 1000, 1)).set_bulk_flush_max_actions(10).build()
    registry = MetricRegistry("job", "sink", "uid", 0)
    context = WriterContext("job", "uid", 0, 1, registry.group, logging.getLogger("test"), Spool(None, "uid"))
    writer = sink.create_writer(context)
    writer.begin(0, 0)
    writer.write(Batch([{"n": n} for n in range(55)]))
    server.kill()
    back = threading.Timer(1, server.start)
    back.start()
    writer.write(Batch([{"n": n} for n in range(55, 110)]))
    writer.prepare_commit()
    writer.close()
    back.join()
    assert context.metrics.counter("numRetries").get_count() > 0
    assert sorted(document["n"] for document in server.documents(index).values()) == list(range(110))
    source = ElasticsearchSource(index, connection=connection(server))
    enumerator, reader = parts(source)
    start = enumerator.initial_offset()
    server.kill()
    server.start()
    with pytest.raises(CheckpointError, match="the point in time of .* is gone"):
        enumerator.latest_offset(start, 100)
    reader.close()


def read(source: ElasticsearchSource) -> list[Any]:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    return list(env.from_source(source, WatermarkStrategy.no_watermarks(), "source").execute_and_collect())


def parts(source: ElasticsearchSource) -> tuple[SplitEnumerator, SourceReader]:
    logger, spool = logging.getLogger("test"), Spool(None, "uid")
    group = MetricRegistry("job", "source", "uid", 0).group
    return (
        source.create_enumerator(EnumeratorContext("job", "uid", 2, logger, spool)),
        source.create_reader(ReaderContext("job", "uid", 2, False, group, logger, spool)),
    )


def test_a_source_reads_what_it_is_told_to(elasticsearch: ElasticsearchServer) -> None:
    name = f"shards-{uuid.uuid4().hex[:8]}"
    elasticsearch.create(name, shards=3, number="integer")
    fill(elasticsearch, name, 12_000)
    reached = connection(elasticsearch)
    found = read(ElasticsearchSource(name, connection=reached))
    assert sorted(record["number"] for record in found) == list(range(12_000))
    assert read(ElasticsearchSource(name, {"term": {"number": 7}}, reached)) == [{"number": 7}]
    few = ElasticsearchSource(name, {"range": {"number": {"lt": 2}}}, reached, fields=["number"], metadata=True)
    assert sorted(read(few), key=lambda r: r["number"]) == [
        {"number": 0, "_id": "0", "_index": name},
        {"number": 1, "_id": "1", "_index": name},
    ]
    assert read(ElasticsearchSource(name, {"term": {"number": -1}}, reached)) == []
    with pytest.raises(JobError, match="refuses to search.*unknown query.*nonsense"):
        read(ElasticsearchSource(name, {"nonsense": {}}, reached))


def test_a_source_reads_what_was_there_when_it_began(elasticsearch: ElasticsearchServer) -> None:
    index = elasticsearch.index(number="integer")
    fill(elasticsearch, index, 10)
    enumerator, reader = parts(ElasticsearchSource(index, connection=connection(elasticsearch), page_size=3))
    start = enumerator.initial_offset()
    fill(elasticsearch, index, 50)
    end = enumerator.latest_offset(start, 1000)
    splits = enumerator.splits(start, end, 2)
    assert len(splits) == 2 and enumerator.finished(end)
    numbers = [record["number"] for split in splits for batch in reader.read(split) for record in batch.records]
    assert numbers == list(range(10))
    enumerator.commit(end)
    with pytest.raises(CheckpointError, match="is gone from .*another --checkpoint-dir"):
        next(reader.read(splits[0]))
    enumerator.close()
    reader.close()


def test_wrong_settings() -> None:
    emitter = ElasticsearchEmitter.static_index("a")
    made = ElasticsearchSinkBuilder
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: made().set_emitter(emitter).build(), "call set_hosts"),
        (lambda: made().set_hosts("localhost:9200").build(), "call set_emitter"),
        (lambda: made().set_hosts("ftp://localhost"), "localhost:9200 or https://host:9200"),
        (lambda: made().set_hosts("localhost:port"), "localhost:9200 or https"),
        (lambda: made().set_hosts("http://u:s3cret@localhost"), "in their own settings"),
        (lambda: made().set_hosts([]), "either hosts"),
        (lambda: made().set_hosts(7), "needs hosts"),  # type: ignore[arg-type]
        (lambda: ElasticsearchEmitter.static_index(""), "index must be a text"),
        (lambda: ElasticsearchEmitter.dynamic_index("a", 7), "key_field must be a text"),  # type: ignore[arg-type]
        (lambda: made().set_emitter("a"), "needs a function"),  # type: ignore[arg-type]
        (lambda: made().set_delivery_guarantee("NONE"), "needs a DeliveryGuarantee"),  # type: ignore[arg-type]
        (lambda: made().set_bulk_flush_max_actions(0), "at least 1, or -1"),
        (lambda: made().set_bulk_flush_backoff_strategy("NONE", 1, 1), "needs a FlushBackoffType"),  # type: ignore[arg-type]
        (lambda: made().set_failure_handler("fail"), "needs a function"),  # type: ignore[arg-type]
        (
            lambda: made().set_hosts("a").set_emitter(emitter).set_api_key("k").set_connection_username("u").build(),
            "one of",
        ),
        (lambda: made().set_hosts("a").set_emitter(emitter).set_connection_password("p").build(), "no user_name"),
        (lambda: made().set_hosts("a").set_emitter(emitter).set_ca_certs("/none").build().validate(), "is not there"),
        (lambda: ElasticsearchSource("", connection="a"), "index must be a text"),
        (lambda: ElasticsearchSource("a", page_size=0), "page_size"),
        (lambda: ElasticsearchSource("a", "x"), "query must be a dict"),  # type: ignore[arg-type]
    ]
    for make, says in wrong:
        with pytest.raises(ValidationError, match=says) as failed:
            make()
        assert "s3cret" not in str(failed.value)
    with pytest.raises(UnsupportedOperation, match="no class of Java"):
        Elasticsearch6SinkBuilder().get_http_host_class()
    defaults = Elasticsearch7SinkBuilder().set_hosts("localhost:9200").set_emitter(emitter).build()
    assert (defaults.batch_size, defaults.batch_ms, defaults.backoff.retries) == (1000, None, 0)
    assert defaults.delivery_guarantee is DeliveryGuarantee.AT_LEAST_ONCE
    assert [list(kind.backoff(3, 100).pauses_s()) for kind in FlushBackoffType] == [[0.1] * 3, [0.1, 0.2, 0.4], []]
