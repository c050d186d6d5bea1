"""`ServerSentEventSource`: the events of a stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import msgspec

from datastream.connectors.server_settings import checked_connection, checked_number
from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema, SimpleStringSchema
from datastream.formats.schema import Position, checked_schema
from datastream.io import Backoff, EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import TypeInformation

from .connection import HttpConnection
from .event import RawEvent, ServerSentEvent
from .settings import Following


class ServerSentEventSource(Source):
    """The events of a stream (``text/event-stream``), without end; for ``from_source``.

    Made by `ServerSentEventSource.builder`. Events are stored beside the checkpoint before an epoch reads them. A new
    connection continues after the last one (``Last-Event-ID``): each comes exactly once, if the server sends ids and
    keeps events for as long as the job is away.

    Attributes:
        following: The settings.
    """

    bounded = False

    def __init__(self, following: Following) -> None:
        self.following = following

    @staticmethod
    def builder() -> ServerSentEventSourceBuilder:
        """A builder."""
        return ServerSentEventSourceBuilder()

    def __repr__(self) -> str:
        return f"ServerSentEventSource({self.following.connection})"

    @property
    def produced(self) -> Produced:
        if self.following.function is not None:
            return Produced(self.following.record_type)
        return Produced.by(self.following.schema)

    def validate(self) -> None:
        self.following.connection.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .event_feed import EventFeed  # its client takes its time to import
        from .pages import PageEnumerator

        following = self.following
        initial = {"id": following.last_id} if following.last_id else {}
        return PageEnumerator(lambda state, logger: EventFeed(following, state, logger), initial, context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .pages import PageReader

        return PageReader(_Events(self.following), self.following.connection.address, context)


class ServerSentEventSourceBuilder:
    """Builds a `ServerSentEventSource`. It needs a connection."""

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}

    def set_connection(self, connection: HttpConnection | str) -> Self:
        """Set the stream: a connection, or a URL such as ``https://user:password@host/path``."""
        self._settings["connection"] = checked_connection(HttpConnection, connection, "ServerSentEventSource")
        return self

    def set_deserializer(self, schema: DeserializationSchema) -> Self:
        """Set how the data of an event becomes a record. Default: its text."""
        self._settings["schema"] = checked_schema(schema, "ServerSentEventSource")
        return self

    def set_record_function(
        self, function: Callable[[ServerSentEvent], Any], record_type: TypeInformation | None = None
    ) -> Self:
        """Set how events, with type and id, become records; instead of a schema.

        Args:
            function: Is called with each `ServerSentEvent`. Where it returns None there is no record.
            record_type: The type of what it returns. Default: any Python object.
        """
        if not callable(function):
            raise ValidationError(f"set_record_function needs a function of a ServerSentEvent, got {cut(function)}")
        self._settings.update(function=function, record_type=record_type)
        return self

    def set_events(self, *events: str) -> Self:
        """Set the types of the events to read. Default: all. ``message`` is that of events without a type."""
        if not events or not all(isinstance(event, str) and event for event in events):
            raise ValidationError(f"set_events needs types of events as texts, got {cut(events)}")
        self._settings["events"] = frozenset(events)
        return self

    def set_last_event_id(self, id: str) -> Self:
        """Set the id after which a new job begins. Default: wherever the server begins."""
        if not isinstance(id, str) or not id.isprintable() or not id.isascii():
            raise ValidationError(f"set_last_event_id needs a text of ASCII on one line, got {cut(id)}")
        self._settings["last_id"] = id
        return self

    def set_stall_timeout(self, ms: int) -> Self:
        """Set after how long without a byte a connection counts as broken. Default: 300,000 ms.

        Servers send comments to keep a connection; choose more than the time between two of them.
        """
        self._settings["stall_ms"] = checked_number(ms, "ServerSentEventSource: stall_timeout", 1)
        return self

    def set_retry(self, ms: int) -> Self:
        """Set the pause before it connects again, until the server asks for another (``retry:``). Default: 1,000 ms."""
        self._settings["retry_ms"] = checked_number(ms, "ServerSentEventSource: retry", 0)
        return self

    def set_backoff(self, backoff: Backoff) -> Self:
        """Set how often connecting is tried, and the pauses. Default: 8 tries more, after 100 ms to 5 s."""
        if not isinstance(backoff, Backoff):
            raise ValidationError(f"ServerSentEventSource: backoff must be a Backoff, got {cut(backoff)}")
        self._settings["backoff"] = backoff
        return self

    def build(self) -> ServerSentEventSource:
        """The source.

        Raises:
            ValidationError: The connection is missing, or there are both a schema and a function.
        """
        if "connection" not in self._settings:
            raise ValidationError("ServerSentEventSource needs set_connection, such as 'https://host/path'")
        if "schema" in self._settings and "function" in self._settings:
            raise ValidationError("ServerSentEventSource needs either set_deserializer or set_record_function")
        return ServerSentEventSource(Following(**{"schema": SimpleStringSchema(), **self._settings}))


class _Events(DeserializationSchema):
    """Makes records of stored events."""

    def __init__(self, following: Following) -> None:
        self._schema, self._function = following.schema, following.function

    @property
    def _dead_letter_tags(self) -> tuple[Any, ...]:
        return Produced.by(self._schema).side_tags

    def deserialize(self, data: bytes) -> Any:
        found = self.deserialize_block([data])
        return found[0] if found else None

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        events = [_decode(message) for message in messages if message is not None]
        if self._function is None:
            return self._schema.deserialize_block([event.data for event in events], position)
        made = (self._function(event.decoded()) for event in events)
        return [record for record in made if record is not None]


_decode = msgspec.msgpack.Decoder(RawEvent).decode
