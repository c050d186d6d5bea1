"""Stores the requests of an epoch, and sends them when it is committed."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import zip_longest
from threading import Lock
from typing import NamedTuple

import httpx
import msgspec

from datastream.errors import ValidationError, cut
from datastream.formats.contents import contents_of
from datastream.io import Batch, Committer, CommitterContext, SinkWriter, Spool, WriterContext

from .client import HttpClient, HttpTrouble
from .connection import shown
from .requests import Posting, RefusedRequest

#: Requests and bytes of a note, which takes two synchronisations of the disk, and two more when it is sent.
_NOTE, _NOTE_BYTES = 1000, 4 << 20
#: A pause that a server asks for is no longer than this while a commit waits, in s.
_LONGEST_PAUSE_S = 60.0
#: Confirmed requests are noted after so many, or so many s.
_CONFIRMED, _CONFIRMED_S = 100, 1.0
#: The answer to a request whose key is that of one that still runs.
_CONFLICT = 409
#: Statuses that are about the sender, not about the content.
_NOT_CONTENT = (401, 403, 407)


class _Note(NamedTuple):
    """Some requests of an epoch.

    Attributes:
        number: Of the note; differs for each attempt.
        requests: How many.
    """

    number: int
    requests: int


class _WithPaths(msgspec.Struct):
    """Requests of a note that have paths of their own. Of others the bodies are stored, without anything around them.

    Attributes:
        paths: Below the path of the sink's URL.
        bodies: As many.
    """

    paths: list[str]
    bodies: list[bytes]


_STORED = msgspec.msgpack.Decoder(list[bytes] | _WithPaths)


class _Request(NamedTuple):
    """A request that is to be sent.

    Attributes:
        at: Its place in the epoch.
        key: The idempotency key.
        url: Where it goes.
        body: What is sent.
    """

    at: int
    key: str
    url: str
    body: bytes


class HttpWriter(SinkWriter):
    """Stores requests.

    Args:
        posting: The settings.
        context: The place.
    """

    def __init__(self, posting: Posting, context: WriterContext) -> None:
        self._posting, self._context = posting, context
        self._bytes = context.metrics.counter("numBytesOut")
        self._requests = context.metrics.counter("numBatches")
        self._epoch = -1
        self._begin()

    def begin(self, epoch: int, attempt: int) -> None:
        self._epoch = epoch
        self._begin()

    def write(self, batch: Batch) -> None:
        contents = contents_of(self._posting.serializer, batch.records, "HttpSink")
        paths = [] if self._posting.path is None else self._posting.paths(batch.records)
        size = sum(map(len, contents))
        if len(self._contents) + len(contents) < self._most and self._size + size < _NOTE_BYTES:
            self._contents += contents
            self._paths += paths
            self._size += size
            return
        for content, path in zip_longest(contents, paths):
            self._contents.append(content)
            self._paths.append(path)
            self._size += len(content)
            if len(self._contents) >= self._most or self._size >= _NOTE_BYTES:
                self._keep()

    def prepare_commit(self) -> list[_Note] | None:
        if self._contents:
            self._keep()
        return self._notes or None

    def _begin(self) -> None:
        self._contents: list[bytes] = []
        self._paths: list[str] = []
        self._size = 0
        self._notes: list[_Note] = []
        self._most = _NOTE * (self._posting.batch_size or 1)  # whole batches

    def _keep(self) -> None:
        bodies = list(self._posting.bodies(self._contents))
        note = _Note(uuid.uuid4().int >> 65, len(bodies))
        stored = bodies if self._posting.path is None else _WithPaths(self._paths, bodies)
        self._context.spool.write(self._epoch, note.number, msgspec.msgpack.encode(stored))
        self._notes.append(note)
        self._bytes.inc(sum(map(len, bodies)))
        self._requests.inc(len(bodies))
        self._contents, self._paths, self._size = [], [], 0


class HttpCommitter(Committer):
    """Sends the requests of an epoch.

    The first try of an epoch fixes its requests and their keys. What was confirmed is noted, and not sent again.

    Args:
        posting: The settings.
        context: The place.
    """

    def __init__(self, posting: Posting, context: CommitterContext) -> None:
        self._posting, self._logger = posting, context.logger
        self._requests = context.spool
        self._begun, self._confirmed = context.spool.part("begun"), context.spool.part("confirmed")
        self._client: HttpClient | None = None

    def commit(self, epoch: int, committables: list[list[_Note]], final: bool) -> None:
        for spool in (self._requests, self._begun, self._confirmed):
            spool.remove_before(epoch)
        if not committables and self._begun.read(epoch, 0) is None:
            return
        # If an earlier try has begun, its requests count, whatever the epoch gave when it ran again.
        mine = {"key": str(uuid.uuid4()), "notes": [note for notes in committables for note in notes]}
        begun = json.loads(self._begun.write(epoch, 0, json.dumps(mine).encode()))
        confirmed = _Confirmed(self._confirmed, epoch)
        first = 0
        for number, count in begun["notes"]:
            waiting = [at for at in range(first, first + count) if at not in confirmed]
            if waiting:
                key, stored = uuid.UUID(begun["key"]), self._stored(epoch, number)
                self._send_all(
                    (_Request(at, str(uuid.uuid5(key, str(at))), *stored[at - first]) for at in waiting), confirmed
                )
            first += count

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _stored(self, epoch: int, number: int) -> list[tuple[str, bytes]]:
        """URL and body of each request of a note."""
        url, stored = self._posting.url, _STORED.decode(self._requests.require(epoch, number))
        if isinstance(stored, _WithPaths):
            return [(url(path), body) for path, body in zip(stored.paths, stored.bodies, strict=True)]
        return [(url(None), body) for body in stored]

    def _send_all(self, requests: Iterator[_Request], confirmed: _Confirmed) -> None:
        client = self._client = self._client or HttpClient(self._posting.connection)
        parallel = self._posting.parallel

        def send(request: _Request) -> None:
            self._send(client, request)
            confirmed.add(request.at)

        try:
            if parallel == 1:
                for request in requests:
                    send(request)
                return
            running: set[Future[None]] = set()
            with ThreadPoolExecutor(parallel, "http sink") as pool:  # its end waits for all
                for request in requests:
                    running.add(pool.submit(send, request))
                    if len(running) >= parallel:
                        done, running = wait(running, return_when=FIRST_COMPLETED)
                        for each in done:
                            each.result()
            for each in running:
                each.result()
        finally:
            confirmed.store()

    def _send(self, client: HttpClient, request: _Request) -> None:
        """Send a request until it is confirmed or refused.

        Raises:
            HttpTrouble: The server was away for all tries.
            ValidationError: It refuses the request.
        """
        posting = self._posting
        headers = {"Content-Type": posting.body_type}
        if posting.key_header is not None:
            headers[posting.key_header] = request.key
        pauses = posting.backoff.pauses_s()
        while True:
            try:
                answer = client.send(posting.method, request.url, request.body, headers)
                if httpx.codes.is_success(answer.status):
                    return
                words = client.words(answer)
                refused = RefusedRequest(shown(request.url), answer.status, words, request.body, request.key)
                trouble = HttpTrouble(_told(posting, refused))
                if answer.status != _CONFLICT:
                    return self._refused(refused)
            except HttpTrouble as error:
                trouble, refused = error, None
            pause = next(pauses, None)
            if pause is None:
                if refused is not None:
                    return self._refused(refused)
                raise HttpTrouble(
                    f"HttpSink: a request was not taken by {posting.backoff.retries + 1} tries: {trouble}"
                )
            pause = max(pause, min(trouble.wait_s or 0.0, _LONGEST_PAUSE_S))
            self._logger.warning("a request is sent again in %.1f s, with the same key: %s", pause, trouble)
            time.sleep(pause)

    def _refused(self, refused: RefusedRequest) -> None:
        """What becomes of a refused request.

        Raises:
            ValidationError: The job fails.
        """
        told, status, decide = _told(self._posting, refused), refused.status, self._posting.on_refusal
        if httpx.codes.is_redirect(status):
            raise ValidationError(f"{told}; requests are not sent to another URL than that of the sink: give that one")
        if status in _NOT_CONTENT:
            raise ValidationError(f"{told}; check the headers, the user and the password of the HttpConnection")
        if decide == "fail":
            raise ValidationError(f"{told}; the request is {cut(refused.body)}. set_on_refusal can drop such requests")
        if callable(decide):
            decide(refused)
        else:
            self._logger.warning("%s; the request is dropped: %s", told, cut(refused.body))


class _Confirmed:
    """The requests of an epoch that the server has taken, or that were dropped.

    Args:
        spool: Holds notes of them.
        epoch: The epoch.
    """

    def __init__(self, spool: Spool, epoch: int) -> None:
        self._spool, self._epoch, self._lock = spool, epoch, Lock()
        self._known = {at for task in spool.tasks(epoch) for at in json.loads(spool.require(epoch, task))}
        self._new: list[int] = []
        self._stored_at = time.monotonic()

    def __contains__(self, at: int) -> bool:
        return at in self._known

    def add(self, at: int) -> None:
        """A request is done."""
        with self._lock:
            self._new.append(at)
            if len(self._new) >= _CONFIRMED or time.monotonic() - self._stored_at > _CONFIRMED_S:
                self._store()

    def store(self) -> None:
        """Have all of them noted."""
        with self._lock:
            self._store()

    def _store(self) -> None:
        if self._new:
            self._spool.write(self._epoch, uuid.uuid4().int >> 65, json.dumps(self._new).encode())
            self._known.update(self._new)
        self._new, self._stored_at = [], time.monotonic()


def _told(posting: Posting, refused: RefusedRequest) -> str:
    return f"{refused.url} refuses a {posting.method} of HttpSink with status {refused.status}: {refused.reason}"
