"""Server-sent events as a source: a crash before and after every call, broken connections, and how streams are read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Configuration, JobError, StreamExecutionEnvironment
from datastream.connectors.http import (
    HttpConnection,
    ServerSentEvent,
    ServerSentEventSource,
    ServerSentEventSourceBuilder,
)
from datastream.connectors.http.event import EventParser
from datastream.errors import ValidationError
from datastream.formats.json import JsonRowDeserializationSchema
from datastream.io import Backoff, EnumeratorContext, SplitEnumerator, Spool
from datastream.testing.conformance import SourceConformance
from datastream.time import WatermarkStrategy
from datastream.types import Types
from tests.support.servers.web import EventLog, Reply, WebServer
from tests.support.waiting import wait_until

_SECRET = "s3cret-0f-the-tests"
_QUICK = Backoff(retries=20, initial_ms=1, max_ms=10)


pytestmark = pytest.mark.usefixtures("in_this_process", "without_fsync")


def builder(connection: HttpConnection | str) -> ServerSentEventSourceBuilder:
    return ServerSentEventSource.builder().set_connection(connection).set_backoff(_QUICK).set_retry(1)


#: The id of the last event of the suite.
_LAST = "4"


class _Patient(SplitEnumerator):
    """Waits for events until the last one is read, as the trials take three empty looks for the end."""

    def __init__(self, enumerator: SplitEnumerator) -> None:
        self._enumerator = enumerator
        self.initial_offset, self.splits = enumerator.initial_offset, enumerator.splits
        self.commit, self.close = enumerator.commit, enumerator.close

    def initial_offset(self) -> Any: ...

    def splits(self, start: Any, end: Any, parallelism: int) -> Any: ...

    def latest_offset(self, start: Any, budget: int) -> Any:
        def look() -> Any:
            end = self._enumerator.latest_offset(start, budget)
            return None if end == start else end

        if start["state"].get("id") == _LAST and start["record"] == start["of"]:
            return start
        return wait_until(look, "events", 30, 0.001)


class PatientSource(ServerSentEventSource):
    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Patient(super().create_enumerator(context))


class TestServerSentEventSource(SourceConformance):
    expected = [f"text {number}" for number in range(5)]
    secrets = (_SECRET,)

    @pytest.fixture(autouse=True)
    def _server(self, web: WebServer) -> None:
        self.web = web
        log = web.pages["/events"] = EventLog(sends_all=True)
        log.send(*self.expected)

    def create(self, folder: Path) -> ServerSentEventSource:
        connection = HttpConnection(f"{self.web.url}/events?token={_SECRET}", {"X-Key": _SECRET})
        return PatientSource(builder(connection).build().following)

    def unreachable(self) -> ServerSentEventSource:
        connection = HttpConnection("http://127.0.0.1:9/", {"X-Key": _SECRET})
        return builder(connection).set_backoff(Backoff(retries=1, initial_ms=1)).build()


def environment() -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    return env


def results(source: ServerSentEventSource) -> Any:
    stream = environment().from_source(source, WatermarkStrategy.no_watermarks(), "source")
    return stream.execute_and_collect()


def test_what_comes_while_an_epoch_is_stored_waits_for_the_next_one(web: WebServer, tmp_path: Path) -> None:
    log = web.pages["/events"] = EventLog(sends_all=True)
    log.send("a")

    class Meanwhile(Spool):
        def write(self, epoch: int, task: int, data: bytes) -> bytes:
            found = super().write(epoch, task, data)
            log.send("b")
            wait_until(lambda: enumerator.backlog(start) != {"pages": 0}, "an event", 30, 0.001)
            return found

    spool = Meanwhile(str(tmp_path), "uid")
    context = EnumeratorContext("job", "uid", 1, logging.getLogger("test"), spool)
    with closing(builder(f"{web.url}/events").build().create_enumerator(context)) as enumerator:
        start = enumerator.initial_offset()
        end = wait_until(
            lambda: look if (look := enumerator.latest_offset(start, 100)) != start else None, "events", 30
        )
        assert (end["note"], [number for number, _ in spool.notes()]) == (1, [1])


def test_each_event_once_though_connections_end(web: WebServer) -> None:
    log = web.pages["/events"] = EventLog(sends_all=True)
    with results(builder(f"{web.url}/events").build()) as found:
        log.send("a", "b")
        assert [next(found), next(found)] == ["a", "b"]
        for number in range(3):
            log.disconnect()
            log.send(f"c{number}", f"d{number}")
            assert [next(found), next(found)] == [f"c{number}", f"d{number}"]
            if number == 1:
                web.refuse(503, 2)
                web.refuse(0)
                web.refuse(429, 25, Retry_After="0")
    assert "last-event-id" not in web.requests[0].headers
    assert web.requests[-1].headers["last-event-id"] in "1234567"
    wait_until(lambda: not log.connections, "end of the connection", 30, 0.005)


def test_a_silent_connection_is_made_again(web: WebServer) -> None:
    log = EventLog(sends_all=True)
    log.send("a")

    def silent(request: Any) -> Reply:
        if len(web.requests) > 1:
            return log(request)

        def nothing() -> Iterator[bytes]:
            wait_until(lambda: len(web.requests) > 1, "another connection", 30, 0.005)
            yield b""

        return Reply(200, {"Content-Type": "text/event-stream"}, b"", nothing())

    web.pages["/events"] = silent
    with results(builder(f"{web.url}/events").set_stall_timeout(200).build()) as found:
        assert next(found) == "a"


def test_types_of_events_ids_and_rows(web: WebServer) -> None:
    log = web.pages["/events"] = EventLog(sends_all=True)
    log.send('{"n": 1}', event="number")
    log.send("other")
    log.send('{"n": 2}', event="number")
    schema = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["n"], [Types.INT()])).build()
    source = builder(f"{web.url}/events").set_events("number").set_deserializer(schema)
    with results(source.build()) as found:
        assert [next(found).n, next(found).n] == [1, 2]
    source = builder(f"{web.url}/events").set_last_event_id("0").set_record_function(lambda event: event)
    with results(source.build()) as found:
        assert [next(found), next(found)] == [
            ServerSentEvent("message", "other", "1"),
            ServerSentEvent("number", '{"n": 2}', "2"),
        ]


def test_a_server_that_is_away_for_all_tries_fails_the_job(web: WebServer) -> None:
    web.refuse(503, 3, b"closed for " + _SECRET.encode())
    connection = HttpConnection(f"{web.url}/events", {"Authorization": f"Bearer {_SECRET}"})
    source = builder(connection).set_backoff(Backoff(retries=2, initial_ms=1)).build()
    words = "status 503: closed for <secret>; given up after 3 tries"
    with pytest.raises(JobError, match=words), results(source) as found:
        next(found)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(404, {}, b"no such thing"), "status 404: no such thing"),
        (Reply(401), "status 401: .*check the headers"),
        (Reply(204), "asks not to connect again"),
        (Reply(200, {"Content-Type": "text/html"}, b"hello"), "answers with text/html, expected text/event-stream"),
        (Reply(200, {"Content-Type": "text/event-stream"}, b"data: " + b"x" * 3000), "event of more than 2,000 bytes"),
        (Reply(302, {"Location": "http://127.0.0.2:9/"}), "redirects to another server"),
    ],
)
def test_what_fails_the_job(web: WebServer, reply: Reply, words: str) -> None:
    web.pages["/events"] = lambda request: reply
    source = builder(HttpConnection(f"{web.url}/events", max_body_bytes=2000)).build()
    with pytest.raises(JobError, match=words), results(source) as found:
        next(found)


def parsed(*chunks: bytes) -> list[tuple[bytes, bytes, bytes]]:
    parser = EventParser(b"", 1000)
    return [tuple(event) for chunk in chunks for event in parser.events(chunk)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", [(b"message", b"YHOO\n+2\n10", b"")]),
        (b": c\n\ndata: a\nid: 1\n\ndata:b\nid\n\n", [(b"message", b"a", b"1"), (b"message", b"b", b"")]),
        (b"data:  c\n\n", [(b"message", b" c", b"")]),
        (b"data\n\ndata\ndata\n\ndata:", [(b"message", b"", b""), (b"message", b"\n", b"")]),
        (b"event: x\n\ndata: a\n\n", [(b"message", b"a", b"")]),
        (b"\xef\xbb\xbfdata: a\r\n\r\nevent: e\rdata: b\r\r", [(b"message", b"a", b""), (b"e", b"b", b"")]),
        (b"id: 7\n\ndata: a\n\nid: 8\0\ndata: b\n\n", [(b"message", b"a", b"7"), (b"message", b"b", b"7")]),
        (b"other: 1\nretry: x\ndata: a\n\n", [(b"message", b"a", b"")]),
    ],
)  # fmt: skip
def test_a_stream_is_read_as_the_standard_says(stream: bytes, events: list[Any]) -> None:
    assert parsed(stream) == events
    assert parsed(*(stream[n : n + 1] for n in range(len(stream)))) == events


@given(st.lists(st.sampled_from([b"\r", b"\n", b"data:", b"a", b"id: 1", b"\xef\xbb\xbf", b":"])), st.data())
def test_chunks_do_not_matter(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert parsed(*chunks) == parsed(stream)


def test_the_pause_that_a_server_asks_for() -> None:
    parser = EventParser(b"", 1000)
    assert list(parser.events(b"retry: 1500\n")) == []
    assert parser.retry_ms == 1500


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ServerSentEventSource.builder().build(), "needs set_connection"),
        (lambda: ServerSentEventSource.builder().set_deserializer(7), "DeserializationSchema"),
        (lambda: ServerSentEventSource.builder().set_record_function(7), "ServerSentEvent"),
        (lambda: ServerSentEventSource.builder().set_events(), "types of events"),
        (lambda: ServerSentEventSource.builder().set_last_event_id("a\n"), "one line"),
        (lambda: ServerSentEventSource.builder().set_stall_timeout(0), "stall_timeout"),
        (lambda: ServerSentEventSource.builder().set_retry(-1), "retry"),
        (lambda: ServerSentEventSource.builder().set_backoff(1), "Backoff"),
    ],
)
def test_wrong_settings(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        make()
