"""Records as requests to a server: a crash before and after every call, and whatever the server answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment
from datastream.connectors.http import HttpConnection, HttpSink, HttpSinkBuilder, HttpTls, RefusedRequest
from datastream.errors import ValidationError
from datastream.formats import SimpleStringSchema
from datastream.io import Backoff, Batch, CommitterContext, Spool, WriterContext
from datastream.metrics import MetricRegistry
from datastream.testing.conformance import SinkConformance
from tests.support.servers.web import WebServer

_SECRET = "s3cret-0f-the-tests"
_QUICK = Backoff(retries=20, initial_ms=1, max_ms=10)


pytestmark = pytest.mark.usefixtures("in_this_process", "without_fsync")


def builder(connection: HttpConnection | str) -> HttpSinkBuilder:
    return HttpSink.builder().set_connection(connection).set_serializer(SimpleStringSchema()).set_backoff(_QUICK)


class _Suite(SinkConformance):
    secrets = (_SECRET,)
    paths: dict[Path, str]

    @pytest.fixture(autouse=True)
    def _server(self, web: WebServer) -> None:
        self.web, self.paths = web, {}

    def connection(self, folder: Path) -> HttpConnection:
        path = self.paths.setdefault(folder, f"/{len(self.paths)}")
        return HttpConnection(
            f"{self.web.url}{path}?token={_SECRET}", {"Authorization": f"Bearer {_SECRET}"}, "user", _SECRET
        )

    def record(self, number: int) -> str:
        return json.dumps({"number": number})

    def written(self, folder: Path) -> list[str]:
        return [body.decode() for body in self.web.taken.get(self.paths[folder], [])]

    def unreachable(self) -> HttpSink:
        connection = HttpConnection("http://127.0.0.1:9/", {"X-Key": _SECRET})
        return builder(connection).set_backoff(Backoff(retries=1, initial_ms=1)).build()


class TestHttpSink(_Suite):
    """A request for each record."""

    ordered = True

    def create(self, folder: Path) -> HttpSink:
        return builder(self.connection(folder)).build()

    # Requests for 20,000 records take their time; batches are tested so.
    test_it_takes_a_large_batch = None  # type: ignore[assignment]


class TestHttpSinkOfPaths(_Suite):
    """A path for each record."""

    def create(self, folder: Path) -> HttpSink:
        return builder(self.connection(folder)).set_path(lambda record: ["numbers", record]).build()

    def written(self, folder: Path) -> list[str]:
        below = f"{self.paths[folder]}/numbers/"
        return [body.decode() for path, bodies in self.web.taken.items() if path.startswith(below) for body in bodies]

    # Requests for 20,000 records take their time; batches are tested so.
    test_it_takes_a_large_batch = None  # type: ignore[assignment]


class TestHttpSinkOfBatches(_Suite):
    """Several records in a request, and several requests at once."""

    def create(self, folder: Path) -> HttpSink:
        return builder(self.connection(folder)).set_batch(500).set_parallel_requests(3).build()

    def written(self, folder: Path) -> list[str]:
        bodies = self.web.taken.get(self.paths[folder], [])
        return [json.dumps(record) for body in bodies for record in json.loads(body)]


def send(sink: HttpSink, *records: str) -> None:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    env.from_collection(list(records)).sink_to(sink)
    env.execute("send")


def test_a_request_for_each_record_with_headers_and_a_key_of_its_own(web: WebServer) -> None:
    send(builder(HttpConnection(f"{web.url}/hook?a=b", {"X-Shop": "1"}, "me", "pass word")).build(), '{"a":1}', "2")
    assert [request.body for request in web.requests] == [b'{"a":1}', b"2"]
    first, second = (request.headers for request in web.requests)
    assert (first["content-type"], first["x-shop"]) == ("application/json", "1")
    assert first["authorization"] == "Basic bWU6cGFzcyB3b3Jk"
    assert len({first["idempotency-key"], second["idempotency-key"]}) == 2
    assert web.paths() == ["/hook?a=b"] * 2


def test_batches_are_arrays_or_lines(web: WebServer) -> None:
    send(builder(f"{web.url}/array").set_batch(2).build(), "1", "2", "3")
    send(builder(f"{web.url}/lines").set_batch(2, "lines").build(), "1", "2", "3")
    send(builder(f"{web.url}/small").set_batch(10, max_bytes=4).build(), "11", "22", "333333")
    assert web.taken == {
        "/array": [b"[1,2]", b"[3]"],
        "/lines": [b"1\n2\n", b"3\n"],
        "/small": [b"[11,22]", b"[333333]"],
    }
    assert [request.headers["content-type"] for request in web.requests if request.path == "/lines"] == [
        "application/x-ndjson"
    ] * 2


def test_other_methods_types_and_headers(web: WebServer) -> None:
    sink = builder(f"{web.url}/x").set_method("PUT").set_content_type("text/plain").set_idempotency_header(None).build()
    send(sink, "a")
    (request,) = web.requests
    assert (request.method, request.headers["content-type"]) == ("PUT", "text/plain")
    assert "idempotency-key" not in request.headers


def test_a_path_for_each_record_whatever_it_holds(web: WebServer) -> None:
    sink = builder(f"{web.url}/v1/?a=b").set_method("PUT").set_path(lambda record: ["items", record]).build()
    send(sink, "7", "a/b", "../x", "ä?#%2F", "...")
    below = "/v1/items/"
    assert web.paths() == [f"{below}{path}?a=b" for path in ("7", "a%2Fb", "..%2Fx", "%C3%A4%3F%23%252F", "...")]
    send(builder(web.url).set_path(lambda record: record).build(), "last")
    assert web.paths()[-1] == "/last"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (7, "returned 7, expected a text, or a list of texts"),
        ([], "expected a text, or a list of texts"),
        (["a", None], "expected a text, or a list of texts"),
        ("", "'' cannot be a segment of a path"),
        (["a", ".."], "'..' cannot be a segment of a path"),
    ],
)
def test_what_is_no_path_names_the_record(web: WebServer, given: Any, reason: str) -> None:
    with pytest.raises(JobError) as error:
        send(builder(web.url).set_path(lambda record: given).build(), "order 17")
    assert reason in str(error.value)
    assert "order 17" in str(error.value)
    assert not web.requests


def test_a_function_of_paths_that_fails_names_itself_and_the_record(web: WebServer) -> None:
    with pytest.raises(JobError, match=r"record 'order 17': the function of set_path: ValueError: .*not a number"):
        send(builder(web.url).set_path(_number_of).build(), "order 17")


def _number_of(record: str) -> str:
    raise ValueError("not a number")


def test_a_refused_request_names_its_own_url(web: WebServer) -> None:
    web.refuse(400)
    with pytest.raises(JobError, match=r"/v1/7 refuses a POST of HttpSink with status 400"):
        send(builder(f"{web.url}/v1").set_path(lambda record: record).build(), "7")


def test_paths_and_batches_exclude_each_other() -> None:
    with pytest.raises(ValidationError, match="leave out set_batch"):
        builder("http://localhost/").set_path(str).set_batch(2).build()
    with pytest.raises(ValidationError, match="set_path needs a function of a record, got 7"):
        builder("http://localhost/").set_path(7)  # type: ignore[arg-type]


def test_what_passes_is_tried_again_with_the_same_key(web: WebServer) -> None:
    for status in (408, 409, 425, 429, 500, 503, 0):
        web.refuse(status)
    web.refuse(429, Retry_After="0")
    send(builder(f"{web.url}/hook").build(), "1", "2")
    assert web.taken["/hook"] == [b"1", b"2"]
    assert [request.body for request in web.requests] == [b"1"] * 9 + [b"2"]
    assert len({request.headers["idempotency-key"] for request in web.requests}) == 2


def test_retry_after_is_a_number_or_a_date() -> None:
    from datastream.connectors.http.client import wait_s

    assert wait_s({"Retry-After": "120"}) == 120
    assert wait_s({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, now=946_684_790) == 9
    assert wait_s({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}) == 0
    assert wait_s({"Retry-After": "99999999"}) == 3600
    assert wait_s({"Retry-After": "soon"}) is None
    assert wait_s({}) is None


def test_a_server_that_is_away_for_all_tries_fails_the_epoch(web: WebServer) -> None:
    web.refuse(503, 3, b"closed for " + _SECRET.encode())
    connection = HttpConnection(f"{web.url}/hook", {"Authorization": f"Bearer {_SECRET}"})
    with pytest.raises(JobError, match="not taken by 3 tries: .*/hook answers with status 503: closed for <secret>"):
        send(builder(connection).set_backoff(Backoff(retries=2, initial_ms=1)).build(), "1")


def test_a_refusal_fails_the_job_and_names_value_and_status(web: WebServer) -> None:
    web.refuse(422, 1, b'{"error": "no such shop"}')
    with pytest.raises(JobError, match=r"status 422: .*no such shop.*the request is .*shop-17.*set_on_refusal"):
        send(builder(f"{web.url}/hook").build(), '"shop-17"')
    assert web.taken == {}


@pytest.mark.parametrize("status", [401, 403, 407])
def test_a_refusal_of_the_sender_fails_the_job_though_others_are_dropped(web: WebServer, status: int) -> None:
    web.refuse(status)
    with pytest.raises(JobError, match=f"status {status}: .*check the headers"):
        send(builder(f"{web.url}/hook").set_on_refusal("drop").build(), "1")


def test_refused_requests_are_dropped(web: WebServer) -> None:
    web.refuse(400)
    web.refuse(409, 21)
    send(builder(f"{web.url}/hook").set_on_refusal("drop").build(), "1", "2", "3")
    assert web.taken["/hook"] == [b"3"]


def test_a_function_gets_refused_requests(web: WebServer, tmp_path: Path) -> None:
    refused: list[RefusedRequest] = []

    def keep(request: RefusedRequest) -> None:
        refused.append(request)

    web.refuse(413, 1, b"too large")
    commit(builder(f"{web.url}/hook?token=x").set_on_refusal(keep).build(), tmp_path, "1", "2")
    assert [(each.url, each.status, each.reason, each.body) for each in refused] == [
        (f"{web.url}/hook", 413, "too large", b"1")
    ]
    assert refused[0].key == web.requests[0].headers["idempotency-key"]


def test_requests_are_never_redirected(web: WebServer) -> None:
    web.refuse(307, 1, Location="http://127.0.0.1:9/other")
    with pytest.raises(JobError, match="status 307.*not sent to another URL"):
        send(builder(f"{web.url}/hook").set_on_refusal("drop").build(), "1")
    assert len(web.requests) == 1


class Epoch:
    """An epoch of a sink, as the engine writes and commits it."""

    def __init__(self, sink: HttpSink, folder: Path) -> None:
        self.sink, self.spool = sink, Spool(str(folder / "spool"), "uid")
        self._logger = logging.getLogger("test")

    def prepare(self, *records: str, epoch: int = 1) -> list[Any]:
        metrics = MetricRegistry("job", "operator", "uid", 0).group
        context = WriterContext("job", "uid", 0, 1, metrics, self._logger, self.spool)
        writer = self.sink.create_writer(context)
        writer.begin(epoch, 0)
        writer.write(Batch(list(records)))
        return [writer.prepare_commit()]

    def commit(self, committables: list[Any], epoch: int = 1) -> None:
        committer = self.sink.create_committer(CommitterContext("job", "uid", 1, self._logger, self.spool))
        try:
            committer.commit(epoch, committables, False)
        finally:
            committer.close()


def commit(sink: HttpSink, folder: Path, *records: str) -> None:
    epoch = Epoch(sink, folder)
    epoch.commit(epoch.prepare(*records))


@pytest.mark.parametrize("parallel", [1, 4])
def test_what_was_confirmed_is_not_sent_again(web: WebServer, tmp_path: Path, parallel: int) -> None:
    sink = builder(f"{web.url}/hook").set_parallel_requests(parallel).set_backoff(Backoff(retries=0)).build()
    epoch = Epoch(sink, tmp_path)
    prepared = epoch.prepare(*map(str, range(20)))
    web.refuse(202, 4)
    web.refuse(0)
    with pytest.raises(ConnectionError):
        epoch.commit(prepared)
    assert len(web.requests) >= 5
    epoch.commit(prepared)
    assert sorted(web.taken["/hook"], key=int) == [b"%d" % n for n in range(20)]
    assert len(web.requests) == 21


def test_many_requests_are_stored_in_one_note(web: WebServer, tmp_path: Path) -> None:
    """A note takes two synchronisations of the disk."""
    epoch = Epoch(builder(f"{web.url}/hook").set_batch(500).build(), tmp_path)
    ((note,),) = prepared = epoch.prepare(*map(str, range(5_000)))
    assert note.requests == 10
    epoch.commit(prepared)
    assert [number for body in web.taken["/hook"] for number in json.loads(body)] == list(range(5_000))


def test_the_first_try_of_an_epoch_counts(web: WebServer, tmp_path: Path) -> None:
    """A job whose functions give other values when they run again."""
    epoch = Epoch(builder(f"{web.url}/hook").set_backoff(Backoff(retries=0)).build(), tmp_path)
    web.refuse(503)
    with pytest.raises(ConnectionError):
        epoch.commit(epoch.prepare("1", "2"))
    epoch.commit(epoch.prepare("3", "4"))
    epoch.commit(epoch.prepare("5"), epoch=1)
    assert web.taken["/hook"] == [b"1", b"2"]


def test_two_jobs_never_share_keys(web: WebServer, tmp_path: Path) -> None:
    for name in ("a", "b"):
        commit(builder(f"{web.url}/hook").build(), tmp_path / name, "1")
    assert web.taken["/hook"] == [b"1", b"1"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HttpConnection("ftp://host/"), "must look like"),
        (lambda: HttpConnection("http:///path"), "needs a host"),
        (lambda: HttpConnection("http://user:pa55@host/"), "of_url"),
        (lambda: HttpConnection("http://host/", password="pa55"), "needs a user_name"),
        (lambda: HttpConnection("http://host/", {"A": "pa55\r\nB: c"}), "on one line"),
        (lambda: HttpConnection("http://host/", {"A B": "c"}), "no name of a header"),
        (lambda: HttpConnection("http://host/", tls=HttpTls()), "does not begin with 'https://'"),
        (lambda: HttpConnection("http://host/", timeout_ms=0), "timeout_ms must be"),
        (lambda: HttpSink.builder().build(), "needs set_connection"),
        (lambda: HttpSink.builder().set_connection("http://host/").build(), "needs set_serializer"),
        (lambda: HttpSink.builder().set_connection(7), "expected HttpConnection"),
        (lambda: HttpSink.builder().set_serializer("json"), "needs a SerializationSchema"),
        (lambda: HttpSink.builder().set_method("GET"), "POST, PUT, PATCH"),
        (lambda: HttpSink.builder().set_batch(0), "size of a batch"),
        (lambda: HttpSink.builder().set_batch(1, "csv"), "'array' or 'lines'"),
        (lambda: HttpSink.builder().set_on_refusal("retry"), "on_refusal"),
        (lambda: HttpSink.builder().set_parallel_requests(0), "parallel requests"),
        (lambda: HttpSink.builder().set_backoff(3), "must be a Backoff"),
    ],
)
def test_wrong_settings(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValidationError, match=words) as caught:
        make()
    assert "pa55" not in str(caught.value)


def test_a_url_may_hold_the_user() -> None:
    connection = HttpConnection.of_url("https://me:p%40ss@host:8443/path?token=abcdef")
    assert (connection.url, connection.user_name, connection.password) == (
        "https://host:8443/path?token=abcdef",
        "me",
        "p@ss",
    )
    assert repr(connection) == "HttpConnection('https://host:8443/path')"
