"""`HttpSink`: records as requests to a URL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from datastream.connectors.server_settings import checked_connection, checked_number
from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.io import Backoff, Committer, CommitterContext, Consumed, Sink, SinkWriter, WriterContext

from .connection import HttpConnection, checked_headers
from .requests import FORMS, Posting, RefusedRequest

_METHODS = ("POST", "PUT", "PATCH")


class HttpSink(Sink):
    """Sends each record, or batch of records, to a URL when its epoch is committed. Made by `HttpSink.builder`.

    Requests are stored beside the checkpoint first. Each has an idempotency key, which is the same when it is sent
    again: a receiver that heeds the key gets each request exactly once, any other at least once.

    Attributes:
        posting: The settings.
    """

    def __init__(self, posting: Posting) -> None:
        self.posting = posting

    @staticmethod
    def builder() -> HttpSinkBuilder:
        """A builder."""
        return HttpSinkBuilder()

    def __repr__(self) -> str:
        return f"HttpSink({self.posting.method} {self.posting.connection})"

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=True)

    def validate(self) -> None:
        self.posting.connection.validate()

    def create_writer(self, context: WriterContext) -> SinkWriter:
        from .delivery import HttpWriter  # its client takes its time to import

        return HttpWriter(self.posting, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        from .delivery import HttpCommitter

        return HttpCommitter(self.posting, context)


class HttpSinkBuilder:
    """Builds an `HttpSink`. It needs a connection and a serializer."""

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}

    def set_connection(self, connection: HttpConnection | str) -> Self:
        """Set where requests go: a connection, or a URL such as ``https://user:password@host/path``."""
        self._settings["connection"] = checked_connection(HttpConnection, connection, "HttpSink")
        return self

    def set_serializer(self, schema: SerializationSchema) -> Self:
        """Set how records become bytes."""
        if not isinstance(schema, SerializationSchema):
            raise ValidationError(
                f"HttpSink needs a SerializationSchema such as SimpleStringSchema(), got {cut(schema)}"
            )
        self._settings["serializer"] = schema
        return self

    def set_path(self, function: Callable[[Any], str | Sequence[str]]) -> Self:
        """Set the path of each record's request, below that of the URL. Default: all go to the URL itself.

        Not together with `set_batch`.

        Args:
            function: record -> a segment, or a list of segments. Each stays one segment whatever it holds: ``a/b``
                becomes ``a%2Fb``. It runs in the task that writes the record.
        """
        if not callable(function):
            raise ValidationError(f"HttpSink: set_path needs a function of a record, got {cut(function)}")
        self._settings["path"] = function
        return self

    def set_method(self, method: str) -> Self:
        """Set the method: ``POST``, ``PUT`` or ``PATCH``. Default: ``POST``."""
        if method not in _METHODS:
            raise ValidationError(f"HttpSink: the method must be one of {', '.join(_METHODS)}, got {cut(method)}")
        self._settings["method"] = method
        return self

    def set_batch(self, size: int, form: str = "array", max_bytes: int = 1 << 20) -> Self:
        """Send several records in a request. Default: each record is the body of its own request.

        Args:
            size: Records of a request at most.
            form: ``array``: a JSON array of the records, which must be JSON; ``lines``: a line for each record.
            max_bytes: Bytes of the records of a request at most; one record alone may be larger.
        """
        if form not in FORMS:
            raise ValidationError(f"HttpSink: the form of a batch must be 'array' or 'lines', got {cut(form)}")
        self._settings["batch_size"] = checked_number(size, "HttpSink: the size of a batch", 1)
        self._settings["batch_bytes"] = checked_number(max_bytes, "HttpSink: the bytes of a batch", 1)
        self._settings["batch_form"] = form
        return self

    def set_content_type(self, content_type: str) -> Self:
        """Set the type of bodies. Default: ``application/json``, and ``application/x-ndjson`` for batches of lines."""
        self._settings["content_type"] = checked_headers({"Content-Type": content_type}, "HttpSink")["Content-Type"]
        return self

    def set_idempotency_header(self, name: str | None) -> Self:
        """Set the header that gets the key of a request. Default: ``Idempotency-Key``. None: none does."""
        if name is not None:
            checked_headers({name: ""}, "HttpSink")
        self._settings["key_header"] = name
        return self

    def set_parallel_requests(self, count: int) -> Self:
        """Set how many requests may be open at once. Default: 1, which keeps the order of the records of a subtask."""
        self._settings["parallel"] = checked_number(count, "HttpSink: parallel requests", 1, 1000)
        return self

    def set_on_refusal(self, on_refusal: str | Callable[[RefusedRequest], Any]) -> Self:
        """Set what happens to a request that the server refuses for its content. Default: ``fail``.

        Args:
            on_refusal: ``fail``: the job fails. ``drop``: a warning, and the next one. A function: is called with the
                `RefusedRequest`, in the process beside the driver, and may store it elsewhere; an exception of it fails
                the job. It may be called twice for a request after a crash. Statuses 401, 403 and 407, and redirects,
                always fail the job: they are not about the content.
        """
        if on_refusal not in ("fail", "drop") and not callable(on_refusal):
            raise ValidationError(f"HttpSink: on_refusal must be 'fail', 'drop' or a function, got {cut(on_refusal)}")
        self._settings["on_refusal"] = on_refusal
        return self

    def set_backoff(self, backoff: Backoff) -> Self:
        """Set the tries of a request and the pauses between them. Default: 8 tries more, after 100 ms to 5 s."""
        if not isinstance(backoff, Backoff):
            raise ValidationError(f"HttpSink: backoff must be a Backoff, got {cut(backoff)}")
        self._settings["backoff"] = backoff
        return self

    def build(self) -> HttpSink:
        """The sink.

        Raises:
            ValidationError: Something is missing.
        """
        for name in ("connection", "serializer"):
            if name not in self._settings:
                raise ValidationError(f"HttpSink needs set_{name}")
        if "path" in self._settings and "batch_size" in self._settings:
            raise ValidationError("HttpSink: set_path is for a request for each record; leave out set_batch")
        return HttpSink(Posting(**self._settings))
