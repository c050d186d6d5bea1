"""Asks a URL for records, again and again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from logging import Logger
from typing import Any
from urllib.parse import urljoin

import httpx
import msgspec
from xxhash import xxh3_64_hexdigest

from datastream.errors import ValidationError, cut

from .client import NOT_MODIFIED, Answer, HttpClient, HttpTrouble, origin
from .connection import shown
from .feed import Feed
from .page import Page, State
from .settings import Polling

_BUFFER = 16 << 20
_NO_CONTENT = 204
_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_array = msgspec.json.Decoder(list[msgspec.Raw])
_text = msgspec.json.Decoder(str)


class Poller(Feed):
    """Asks for records.

    Its state has ``cursor``, the value for the next request; ``seen``, hashes of the records that have this value;
    ``next``, the URL of the next page; and ``version``, what the server calls the last response, with a hash of its
    URL.

    Args:
        polling: The settings.
        state: Where it begins.
        logger: For what people should read.
    """

    def __init__(self, polling: Polling, state: State, logger: Logger) -> None:
        super().__init__("http poller", _BUFFER, polling.backoff, logger)
        self._polling, self._state = polling, state

    @property
    def waiting(self) -> int:
        return sum(len(page.records) for page, _ in list(self._items))

    def _page(self, items: deque[tuple[Any, int]], most: int) -> tuple[Page, int] | None:
        return items.popleft() if items else None

    def _run(self) -> None:
        client = HttpClient(self._polling.connection)
        try:
            while not self._closed.is_set():
                try:
                    page, again = self._ask(client)
                except HttpTrouble as trouble:
                    self._wait_after(trouble)
                    continue
                self._works()
                self._state = page.state
                if page.records or page.last:
                    self._put(page, sum(map(len, page.records)))
                if page.last:
                    return
                if not again:
                    self._closed.wait(self._polling.interval_ms / 1000)
        finally:
            client.close()

    def _ask(self, client: HttpClient) -> tuple[Page, bool]:
        """The next page, and whether there may be another one now."""
        polling, state = self._polling, self._state
        url = state.get("next") or self._url(state.get("cursor"))
        version = state.get("version") or {}
        known = version.get("of") == _hash(url.encode())
        names = {"If-None-Match": "etag", "If-Modified-Since": "modified"}
        asked = {name: version[key] for name, key in names.items() if known and key in version}
        answer = client.get(url, {"Accept": "application/json", **asked})
        if answer.status in (NOT_MODIFIED, _NO_CONTENT):
            return Page([], {**state, "next": None}, polling.bounded), False
        with _expected(url):
            records = records_in(answer.content, polling.records)
            following = self._next(answer)
            moved, fresh = self._moved(answer, records)
        if not state.get("next"):  # the first page stands for all
            version = {"of": _hash(url.encode()), **_version(answer.headers)}
        after = {**moved, "next": following, "version": version if len(version) > 1 else None}
        after = {name: value for name, value in after.items() if value}
        more = following is not None or (bool(fresh) and moved.get("cursor") != state.get("cursor"))
        return Page(fresh, after, polling.bounded and not more), more

    def _url(self, cursor: str | None) -> str:
        url = self._polling.connection.url
        if cursor is None or self._polling.cursor is None:
            return url
        return str(httpx.URL(url).copy_set_param(self._polling.cursor.parameter, cursor))

    def _next(self, answer: Answer) -> str | None:
        """The URL of the next page."""
        where = self._polling.next_page
        if where is None:
            return None
        if where == "link":
            found = link_to_next(answer.headers)
        else:
            raw = _at(answer.content, where)
            found = None if raw is None else _text.decode(raw)
        if not found:
            return None
        target = urljoin(answer.url, found)
        if origin(target) != origin(self._polling.connection.url):
            raise ValidationError(
                f"{self._polling.connection} names a next page on another server, {shown(target)}, which is not asked: "
                "it would get the headers of the requests"
            )
        return target

    def _moved(self, answer: Answer, records: list[bytes]) -> tuple[State, list[bytes]]:
        """The cursor after a response, and the records that are new."""
        cursor, state = self._polling.cursor, self._state
        if cursor is None:
            return {}, records
        kept = {"cursor": state.get("cursor"), "seen": state.get("seen")}
        if cursor.field is None:
            found = answer.headers.get(cursor.header) if cursor.header else _value(_at(answer.content, cursor.response))
            return {"cursor": found or kept["cursor"]}, records
        if cursor.inclusive:
            seen = set(kept["seen"] or ())
            records = [record for record in records if _hash(record) not in seen]
        if not records:
            return kept, records
        values = [self._value_in(record, cursor.field) for record in (records if cursor.inclusive else records[-1:])]
        last = values[-1]
        if not cursor.inclusive:
            return {"cursor": last}, records
        equal = [_hash(record) for record, value in zip(records, values, strict=True) if value == last]
        before = kept["seen"] or [] if last == kept["cursor"] else []
        return {"cursor": last, "seen": [*before, *equal]}, records

    def _value_in(self, record: bytes, field: str) -> str:
        value = None
        with suppress(msgspec.ValidationError):  # it is no object
            value = _value(_at(record, field))
        if value is None:
            raise ValidationError(
                f"{self._polling.connection}: a record has no text or number {field!r} for the cursor: {cut(record)}"
            )
        return value


@contextmanager
def _expected(url: str) -> Iterator[None]:
    """Say what a body is that cannot be read."""
    try:
        yield
    except msgspec.ValidationError as error:
        raise ValidationError(f"{shown(url)} answers with JSON of another form: {error}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise HttpTrouble(f"{shown(url)} answers without the JSON that is expected: {error}") from error


def records_of(answer: Answer, path: str | None) -> list[bytes]:
    """The records of an answer.

    Args:
        answer: The answer.
        path: Where they are in the body; None: the body is an array of them, or one.

    Raises:
        HttpTrouble: The body is not JSON.
        ValidationError: It is JSON of another form.
    """
    with _expected(answer.url):
        return records_in(answer.content, path)


def records_in(content: bytes, path: str | None) -> list[bytes]:
    """The records of a body.

    Raises:
        msgspec.DecodeError: It is not JSON, or of another form.
    """
    raw: bytes | None = content.strip()
    if path is not None:
        raw = _at(content, path)
        if raw is None:
            raise msgspec.ValidationError(f"there is no {path!r} in {cut(content)}")
    assert raw is not None
    if path is None and not raw.startswith(b"["):
        _object.decode(raw)
        return [raw]
    return [bytes(each) for each in _array.decode(raw)]


def link_to_next(headers: Mapping[str, str]) -> str | None:
    """The target of ``Link: <target>; rel="next"``."""
    text = headers.get("Link", "")
    while "<" in text:
        target, _, text = text.partition("<")[2].partition(">")
        parameters = text.partition("<")[0]
        for parameter in parameters.split(";"):
            name, _, value = parameter.strip().rstrip(",").partition("=")
            if name.strip().lower() == "rel" and "next" in value.strip().strip('"').lower().split():
                return target.strip()
    return None


def _at(content: bytes, path: str | None) -> bytes | None:
    """The JSON at names with dots between them; None: there is none, or null.

    Raises:
        msgspec.DecodeError: It is not JSON, or what should have a name is no object.
    """
    raw: bytes = content
    for name in (path or "").split("."):
        found = _object.decode(raw).get(name)
        if found is None or bytes(found) == b"null":
            return None
        raw = bytes(found)
    return raw


def _value(raw: bytes | None) -> str | None:
    """A text, or a number exactly as it was written; None: it is something else."""
    if raw is None or raw[:1] in (b"{", b"["):
        return None
    return _text.decode(raw) if raw.startswith(b'"') else raw.decode()


def _version(headers: Mapping[str, str]) -> dict[str, str]:
    """What a server calls a response."""
    names = {"etag": "ETag", "modified": "Last-Modified"}
    return {key: headers[name] for key, name in names.items() if name in headers}


def _hash(data: bytes) -> str:
    return xxh3_64_hexdigest(data)
