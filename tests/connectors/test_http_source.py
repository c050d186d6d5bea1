"""The records that a server has, asked for again and again: a crash before and after every call, pages, cursors."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment
from datastream.connectors import DiscardingSink
from datastream.connectors.http import HttpConnection, HttpCursor, HttpSource, HttpSourceBuilder
from datastream.errors import ValidationError
from datastream.formats.json import JsonRowDeserializationSchema
from datastream.functions import OutputTag
from datastream.io import Backoff, EnumeratorContext, Spool
from datastream.testing.conformance import SourceConformance
from datastream.time import WatermarkStrategy
from datastream.types import Types
from tests.support.servers.web import Reply, Request, WebServer
from tests.support.waiting import wait_until

_SECRET = "s3cret-0f-the-tests"
_QUICK = Backoff(retries=20, initial_ms=1, max_ms=10)


pytestmark = pytest.mark.usefixtures("in_this_process", "without_fsync")


def builder(connection: HttpConnection | str) -> HttpSourceBuilder:
    return HttpSource.builder().set_connection(connection).set_backoff(_QUICK).set_interval(1)


class Items:
    """A page with the items after a number, at most some at once.

    Args:
        items: Them.
        size: How many at once.
        inclusive: The item of the number comes, too.
    """

    def __init__(self, items: list[Any], size: int = 2, inclusive: bool = False) -> None:
        self.items, self.size, self.inclusive = items, size, inclusive

    def __call__(self, request: Request) -> Reply:
        after = int(request.query.get("after", -1))
        found = [each for each in self.items if each["id"] > after or (self.inclusive and each["id"] == after)]
        return Reply(200, {}, json.dumps({"result": {"items": found[: self.size]}}).encode())


def numbered(count: int) -> list[Any]:
    return [{"id": number} for number in range(count)]


def by_cursor(connection: HttpConnection | str, inclusive: bool = False) -> HttpSourceBuilder:
    return builder(connection).set_records("result.items").set_cursor(HttpCursor("after", "id", inclusive=inclusive))


class TestHttpSourceWithACursor(SourceConformance):
    expected = [json.dumps(each) for each in numbered(5)]
    secrets = (_SECRET,)

    @pytest.fixture(autouse=True)
    def _server(self, web: WebServer) -> None:
        self.web = web
        web.pages["/items"] = Items(numbered(5))

    def create(self, folder: Path) -> HttpSource:
        connection = HttpConnection(f"{self.web.url}/items?token={_SECRET}", {"X-Key": _SECRET})
        return by_cursor(connection).set_bounded().build()

    def unreachable(self) -> HttpSource:
        connection = HttpConnection("http://127.0.0.1:9/", {"X-Key": _SECRET})
        return builder(connection).set_backoff(Backoff(retries=1, initial_ms=1)).build()


class TestHttpSourceOfPages(SourceConformance):
    """Pages that name the next one; an epoch is smaller than a page."""

    expected = [json.dumps(each) for each in numbered(11)]

    @pytest.fixture(autouse=True)
    def _server(self, web: WebServer) -> None:
        self.web = web
        web.pages["/items"] = self.page

    def page(self, request: Request) -> Reply:
        first = int(request.query.get("from", 0))
        items = numbered(11)[first : first + 5]
        link = {"Link": f'</items?from=0>; rel="first", </items?from={first + 5}>; rel="next"'} if first < 10 else {}
        return Reply(200, link, json.dumps(items).encode())

    def create(self, folder: Path) -> HttpSource:
        return builder(f"{self.web.url}/items").set_bounded().build()


def read(source: HttpSource, count: int | None = None) -> list[Any]:
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "source")
    if count is None:
        return list(stream.execute_and_collect())
    return list(stream.execute_and_collect(limit=count))


def test_what_comes_later_is_read_once(web: WebServer) -> None:
    page = web.pages["/items"] = Items(numbered(1))
    source = by_cursor(f"{web.url}/items?x=1").build()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "source")
    with stream.execute_and_collect() as results:
        found = [json.loads(next(results))["id"]]
        for number in range(1, 6):
            page.items = numbered(number + 1)
            found.append(json.loads(next(results))["id"])
    assert found == [0, 1, 2, 3, 4, 5]
    assert web.paths()[:2] == ["/items?x=1", "/items?x=1?after=0"]


def test_the_last_record_that_comes_again_is_dropped(web: WebServer) -> None:
    """A server that sends what has the value of the cursor, too, and more of it later."""
    page = web.pages["/items"] = Items([{"id": 1, "n": 1}], 10, inclusive=True)
    source = by_cursor(f"{web.url}/items", inclusive=True).build()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "source")
    with stream.execute_and_collect() as results:
        found = [next(results)]
        page.items = [{"id": 1, "n": 1}, {"id": 1, "n": 2}]
        found.append(next(results))
        page.items = [{"id": 1, "n": 1}, {"id": 1, "n": 2}, {"id": 1, "n": 3}, {"id": 2, "n": 4}]
        found += [next(results), next(results)]
    assert [json.loads(each)["n"] for each in found] == [1, 2, 3, 4]


@pytest.mark.parametrize("where", ["header", "body"])
def test_a_cursor_of_the_response(web: WebServer, where: str) -> None:
    def page(request: Request) -> Reply:
        number = int(request.query.get("token", "t0")[1:])
        items = [f"r{number}"] if number < 3 else []
        token = f"t{number + 1}" if items else None
        if where == "header":
            return Reply(200, {"X-Token": token} if token else {}, json.dumps({"items": items}).encode())
        return Reply(200, {}, json.dumps({"items": items, "meta": {"token": token}}).encode())

    web.pages["/items"] = page
    cursor = HttpCursor("token", header="X-Token") if where == "header" else HttpCursor("token", response="meta.token")
    source = builder(f"{web.url}/items").set_records("items").set_cursor(cursor).set_bounded().build()
    assert read(source) == ['"r0"', '"r1"', '"r2"']


def test_numbers_and_texts_of_a_cursor_stay_as_they_are(web: WebServer) -> None:
    values = ["12345678901234567890123", '"a b&c=\\u00e4"', "1.50"]
    seen: list[str | None] = []

    def page(request: Request) -> Reply:
        seen.append(request.query.get("after"))
        number = len(seen) - 1
        return Reply(200, {}, b'[{"id": %s}]' % values[number].encode() if number < len(values) else b"[]")

    web.pages["/items"] = page
    read(builder(f"{web.url}/items").set_cursor(HttpCursor("after", "id", initial=7)).set_bounded().build())
    assert seen == ["7", "12345678901234567890123", "a b&c=ä", "1.50"]


def test_the_next_page_of_a_body(web: WebServer) -> None:
    def page(request: Request) -> Reply:
        number = int(request.query.get("p", 0))
        next_page = f"{web.url}/items?p={number + 1}" if number < 2 else None
        return Reply(200, {}, json.dumps({"data": [number], "links": {"next": next_page}}).encode())

    web.pages["/items"] = page
    source = builder(f"{web.url}/items").set_records("data").set_next_page("links.next").set_bounded().build()
    assert read(source) == ["0", "1", "2"]


def test_what_has_not_changed_is_not_read_again(web: WebServer) -> None:
    versions = iter(range(1000))
    current = {"etag": '"v0"', "body": b'{"value": 0}'}

    def page(request: Request) -> Reply:
        if request.headers.get("if-none-match") == current["etag"]:
            return Reply(304)
        return Reply(200, {"ETag": current["etag"]}, current["body"])

    web.pages["/value"] = page
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_source(builder(f"{web.url}/value").build(), WatermarkStrategy.no_watermarks(), "source")
    found = []
    with stream.execute_and_collect() as results:
        for version in versions:
            current.update(etag=f'"v{version}"', body=b'{"value": %d}' % version)
            found.append(next(results))
            before = len(web.requests)
            wait_until(lambda before=before: len(web.requests) > before + 2, "requests", 30, 0.001)
            if version == 2:
                break
    assert found[-1] == '{"value": 2}'
    assert len(found) == len(set(found)) == 3


def test_what_passes_is_asked_for_again(web: WebServer) -> None:
    web.pages["/items"] = Items(numbered(3))
    for status in (408, 425, 429, 500, 503, 0):
        web.refuse(status)
    web.refuse(429, 30, Retry_After="0")  # more than there are tries
    web.refuse(200, 1, b"<html>")
    assert len(read(by_cursor(f"{web.url}/items").set_bounded().build())) == 3


def test_a_server_that_is_away_for_all_tries_fails_the_job(web: WebServer) -> None:
    web.refuse(503, 3, b"closed for " + _SECRET.encode())
    connection = HttpConnection(f"{web.url}/items", {"Authorization": f"Bearer {_SECRET}"})
    with pytest.raises(JobError, match="status 503: closed for <secret>; given up after 3 tries"):
        read(builder(connection).set_backoff(Backoff(retries=2, initial_ms=1)).build())


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(404, {}, b"no such thing"), "status 404: no such thing"),
        (Reply(401), "status 401: .*check the headers"),
        (Reply(200, {}, b'{"other": 1}'), "JSON of another form: there is no 'result.items'"),
        (Reply(200, {}, b'{"result": {"items": {}}}'), "JSON of another form"),
        (Reply(200, {}, b'{"result": {"items": [{"key": 1}]}}'), "no text or number 'id' for the cursor"),
        (Reply(200, {}, b'{"result": {"items": [7]}}'), "no text or number 'id' for the cursor"),
        (Reply(200, {}, b" " * 3000), "more than 2,000 bytes"),
        (Reply(302, {"Location": "http://127.0.0.2:9/"}), "redirects to another server, http://127.0.0.2:9/"),
        (Reply(302, {"Location": "/items"}), "redirects more than 5 times"),
        (
            Reply(200, {"Link": '<http://127.0.0.2:9/a?t=1>; rel="next"'}, b'{"result": {"items": []}}'),
            "another server",
        ),
    ],
)
def test_what_fails_the_job(web: WebServer, reply: Reply, words: str) -> None:
    web.pages["/items"] = lambda request: reply
    with pytest.raises(JobError, match=words):
        read(by_cursor(HttpConnection(f"{web.url}/items", max_body_bytes=2000)).build())


def test_redirects_within_the_server_are_followed(web: WebServer) -> None:
    web.pages["/old"] = lambda request: Reply(301, {"Location": "/items"})
    web.pages["/items"] = lambda request: Reply(200, {}, b"[1]")
    assert read(builder(HttpConnection(f"{web.url}/old", {"X-Key": "k"})).set_bounded().build()) == ["1"]
    assert [request.headers["x-key"] for request in web.requests] == ["k", "k"]


def test_rows_and_records_that_cannot_be_read(web: WebServer) -> None:
    web.pages["/items"] = lambda request: Reply(200, {}, b'[{"id": 1}, {"id": "x"}, {"id": 2}]')
    tag = OutputTag("unreadable")
    row_type = Types.ROW_NAMED(["id"], [Types.LONG()])
    schema = JsonRowDeserializationSchema.builder().type_info(row_type).build().with_dead_letters(tag)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    source = builder(f"{web.url}/items").set_deserializer(schema).set_bounded().build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "source")
    stream.get_side_output(tag).sink_to(DiscardingSink())
    with stream.execute_and_collect() as results:
        assert [row.id for row in results] == [1, 2]


class Run:
    """A run of a source, as the engine plans and reads it, without a job."""

    def __init__(self, source: HttpSource, folder: Path, offset: dict[str, Any] | None = None) -> None:
        self.spool = Spool(str(folder / "spool"), "uid")
        context = EnumeratorContext("job", "uid", 1, logging.getLogger("test"), self.spool)
        self.enumerator = source.create_enumerator(context)
        self.offset = offset or self.enumerator.initial_offset()

    def epoch(self, budget: int = 100) -> list[bytes]:
        """The records of the next epoch."""
        from datastream.connectors.http.pages import required

        start = self.offset

        def moved() -> bool:
            self.offset = json.loads(json.dumps(self.enumerator.latest_offset(start, budget)))
            return bool(self.offset != start)

        wait_until(moved, "an epoch", 30, 0.001)
        splits = self.enumerator.splits(start, self.offset, 2)
        return [r for split in splits for r in required(self.spool, split.note).records[split.first : split.end]]


def test_an_epoch_may_have_several_pages(web: WebServer, tmp_path: Path) -> None:
    web.pages["/items"] = Items(numbered(8))
    run = Run(by_cursor(f"{web.url}/items").build(), tmp_path)

    def waiting() -> int:
        return sum((run.enumerator.backlog(run.offset) or {}).values())

    try:
        found = run.epoch(1)
        wait_until(lambda: waiting() == 7, "all pages", 30, 0.001)
        kept = run.offset
        found += run.epoch(5)
        assert run.offset["note"] - kept["note"] == 2
        found += run.epoch(5)
        run.enumerator.commit(run.offset)
        assert [note for note, _ in run.spool.notes()] == [run.offset["note"]]
    finally:
        run.enumerator.close()
    assert [json.loads(record)["id"] for record in found] == list(range(8))


def test_two_runs_at_once_agree(web: WebServer, tmp_path: Path) -> None:
    """A run that still goes on while its successor has begun."""
    web.pages["/items"] = Items(numbered(8))
    source = by_cursor(f"{web.url}/items").build()
    old, new = Run(source, tmp_path), Run(source, tmp_path)
    try:
        first = [old.epoch(2), new.epoch(2)]
        second = [new.epoch(2), old.epoch(2)]
        third = [old.epoch(2), new.epoch(2)]
    finally:
        old.enumerator.close()
        new.enumerator.close()
    for each in (first, second, third):
        assert each[0] == each[1]
    assert [json.loads(record)["id"] for each in (first, second, third) for record in each[0]] == list(range(6))


def test_a_stored_page_that_no_epoch_has_read_is_read(web: WebServer, tmp_path: Path) -> None:
    web.pages["/items"] = Items(numbered(6))
    source = by_cursor(f"{web.url}/items").build()
    run = Run(source, tmp_path)
    run.epoch(2)
    kept = run.offset
    lost = run.epoch(2)
    run.enumerator.close()
    web.requests.clear()
    again = Run(source, tmp_path, kept)
    try:
        assert again.epoch(2) == lost
        assert web.requests == []
        assert [json.loads(record)["id"] for record in again.epoch(2)] == [4, 5]
    finally:
        again.enumerator.close()


def test_a_bounded_source_with_a_cursor_finds_more_at_a_later_start(web: WebServer, tmp_path: Path) -> None:
    web.pages["/items"] = Items(numbered(2), 10)
    source = by_cursor(f"{web.url}/items").set_bounded().build()
    run = Run(source, tmp_path)
    found = run.epoch()
    while not run.enumerator.finished(run.offset):
        found += run.epoch()
    assert len(found) == 2
    run.enumerator.close()
    web.pages["/items"] = Items(numbered(3), 10)
    again = Run(source, tmp_path, run.offset)
    again.offset = again.enumerator.reopen(run.offset)
    try:
        assert [json.loads(record)["id"] for record in again.epoch(1)] == [2]
    finally:
        again.enumerator.close()


def test_links() -> None:
    from datastream.connectors.http.polling import link_to_next

    assert link_to_next({"Link": '<https://a/?p=1,2>; rel="prev"; title="<x>", </b>; rel=next'}) == "/b"
    assert link_to_next({"Link": '</c>; rel="last next"'}) == "/c"
    assert link_to_next({"Link": "</c>; rel=last"}) is None
    assert link_to_next({"Link": "<"}) is None
    assert link_to_next({}) is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HttpSource.builder().build(), "needs set_connection"),
        (lambda: HttpSource.builder().set_deserializer("json"), "DeserializationSchema"),
        (lambda: HttpSource.builder().set_records("a..b"), "names with dots"),
        (lambda: HttpSource.builder().set_next_page(""), "names with dots"),
        (lambda: HttpSource.builder().set_interval(-1), "interval"),
        (lambda: HttpSource.builder().set_cursor("id"), "HttpCursor"),
        (lambda: HttpSource.builder().set_backoff(3), "Backoff"),
        (lambda: HttpCursor(""), "parameter"),
        (lambda: HttpCursor("a"), "exactly one of"),
        (lambda: HttpCursor("a", "b", header="c"), "exactly one of"),
        (lambda: HttpCursor("a", header="c", inclusive=True), "inclusive needs field"),
    ],
)
def test_wrong_settings(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        make()
