"""What a sink sends: the bodies of requests, made of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from datastream.errors import FormatError, cut
from datastream.formats import SerializationSchema
from datastream.formats.contents import reason_of, unwritable
from datastream.io import Backoff

from .connection import HttpConnection

#: Batch form -> what is before, between and after the records, and the type of the body.
FORMS = {
    "array": (b"[", b",", b"]", "application/json"),
    "lines": (b"", b"\n", b"\n", "application/x-ndjson"),
}
#: Servers take these for another path.
_NO_SEGMENTS = ("", ".", "..")
#: The type of a body that is one record.
ONE = "application/json"


class RefusedRequest(NamedTuple):
    """A request that the server will never take.

    Attributes:
        url: Without its query.
        status: Of the answer.
        reason: What the answer says, at most 300 characters.
        body: What was sent: the record, or the batch.
        key: The idempotency key of the request.
    """

    url: str
    status: int
    reason: str
    body: bytes
    key: str


@dataclass(frozen=True)
class Posting:
    """What a sink sends, and how.

    Attributes:
        connection: The server.
        serializer: How records become bytes.
        path: A function: record -> what its path has below that of the URL: a segment, or several; None: nothing.
        method: ``POST``, ``PUT`` or ``PATCH``.
        batch_size: Records of a request; None: one, which is the body itself.
        batch_form: How the records of a batch become a body: ``array`` or ``lines``.
        batch_bytes: Bytes of a batch, above which it ends.
        content_type: Of bodies; None: that of the form.
        key_header: The header that gets the idempotency key; None: none does.
        parallel: How many requests may be open at once.
        on_refusal: ``fail``, ``drop``, or a function.
        backoff: Tries of a request, and pauses between them.
    """

    connection: HttpConnection
    serializer: SerializationSchema
    path: Callable[[Any], str | Sequence[str]] | None = None
    method: str = "POST"
    batch_size: int | None = None
    batch_form: str = "array"
    batch_bytes: int = 1 << 20
    content_type: str | None = None
    key_header: str | None = "Idempotency-Key"
    parallel: int = 1
    on_refusal: str | Callable[[RefusedRequest], Any] = "fail"
    backoff: Backoff = Backoff()

    @property
    def body_type(self) -> str:
        """The type of bodies."""
        if self.content_type is not None:
            return self.content_type
        return ONE if self.batch_size is None else FORMS[self.batch_form][3]

    def paths(self, records: Sequence[Any]) -> list[str]:
        """What the path of each record's request has below that of the URL, encoded.

        Raises:
            FormatError: The function failed, or gave something else; names the record.
        """
        assert self.path is not None
        found = []
        for record in records:
            try:
                found.append(_encoded(self.path(record)))
            except Exception as error:  # a user's function may raise anything
                raise unwritable("HttpSink", record, f"the function of set_path: {reason_of(error)}") from error
        return found

    def url(self, path: str | None) -> str:
        """The URL of a request.

        Args:
            path: As `paths` gives it; None: that of the connection.
        """
        if path is None:
            return self.connection.url
        parts = urlsplit(self.connection.url)
        return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path}"))

    def bodies(self, contents: list[bytes]) -> Iterator[bytes]:
        """The bodies of the requests for these contents of records."""
        if self.batch_size is None:
            yield from contents
            return
        before, between, after, _ = FORMS[self.batch_form]
        for some in self._batches(contents, self.batch_size):
            yield before + between.join(some) + after

    def _batches(self, contents: list[bytes], most: int) -> Iterator[list[bytes]]:
        if max(map(len, contents), default=0) * most <= self.batch_bytes:
            for begin in range(0, len(contents), most):
                yield contents[begin : begin + most]
            return
        some: list[bytes] = []
        size = 0
        for content in contents:
            if some and (len(some) >= most or size + len(content) > self.batch_bytes):
                yield some
                some, size = [], 0
            some.append(content)
            size += len(content)
        if some:
            yield some


def _encoded(given: Any) -> str:
    """Segments of a path, each as one whatever it holds.

    Raises:
        FormatError: They are none.
    """
    segments = [given] if isinstance(given, str) else given
    if not isinstance(segments, (list, tuple)) or not segments or not all(isinstance(one, str) for one in segments):
        raise FormatError(f"it returned {cut(given)}, expected a text, or a list of texts")
    for one in segments:
        if one in _NO_SEGMENTS:
            raise FormatError(f"it returned {cut(given)}, in which {one!r} cannot be a segment of a path")
    return "/".join(quote(one, safe="") for one in segments)
