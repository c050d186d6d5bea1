"""`RedisStreamsSource`: the entries of streams."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.connectors.server_settings import checked_connection, checked_number
from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.schema import checked_schema
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.types import TypeInformation

from .connection import RedisConnection
from .entries import FieldOnly, RedisDeserializationSchema
from .positions import is_id
from .source_settings import SourceSettings

_ON_GAP = ("fail", "warn")


class RedisStreamsSource(Source):
    """The entries of streams, in the order of their ids. Exactly once, with a checkpoint directory.

    Ids are the offsets: an epoch that runs again reads the same entries again, and nothing is written to the server. So
    entries must stay until the epoch that reads them is committed. Each stream is a lane, with watermarks of its own,
    and is read by one task in an epoch. The time in an entry's id is its timestamp.

    Args:
        connection: The server, or its URL.
        streams: The key of a stream, or a list of them. A stream that is not there is empty.
        schema: How the content of a field becomes a record; or a `RedisDeserializationSchema` for whole entries.
        field: The field that `schema` reads.
        bounded: End with what is there when the job starts.
        start: Where a new job begins: ``earliest``, ``latest``, after an id, or at a time in ms since 1970.
        on_gap: ``fail``, or ``warn`` and go on, when entries were removed before they were read.
        poll_ms: A source that has read all there is looks again after this time.
        batch_size: Entries of a request.

    Raises:
        ValidationError: A value is missing or wrong.
    """

    settings: SourceSettings

    def __init__(
        self,
        connection: RedisConnection | str,
        streams: str | Sequence[str],
        schema: DeserializationSchema | RedisDeserializationSchema,
        field: str = "value",
        bounded: bool = False,
        start: str | int = "earliest",
        on_gap: str = "fail",
        poll_ms: int = 20,
        batch_size: int = 1000,
    ) -> None:
        what = type(self).__name__
        names = (streams,) if isinstance(streams, str) else tuple(streams)
        if not names or not all(isinstance(name, str) and name for name in names) or len({*names}) < len(names):
            raise ValidationError(
                f"{what}: expected the key of a stream, or a list of different keys, got {cut(streams)}"
            )
        schema = checked_schema(schema, what, RedisDeserializationSchema)
        if isinstance(schema, DeserializationSchema):
            schema = FieldOnly(schema, field)
        if isinstance(start, bool) or not (
            isinstance(start, int) or (isinstance(start, str) and (start in ("earliest", "latest") or is_id(start)))
        ):
            raise ValidationError(
                f"{what}: start must be 'earliest', 'latest', an id such as '1700000000000-0', or ms since 1970, got "
                f"{cut(start)}"
            )
        if bounded and start == "latest":
            raise ValidationError(f"{what}: a bounded source that starts at 'latest' reads nothing; use 'earliest'")
        if on_gap not in _ON_GAP:
            raise ValidationError(f"{what}: on_gap must be 'fail' or 'warn', got {cut(on_gap)}")
        for name, value, least in (("poll_ms", poll_ms, 0), ("batch_size", batch_size, 1)):
            checked_number(value, f"{what}: {name}", least)
        self.bounded = bool(bounded)
        reached = checked_connection(RedisConnection, connection, what)
        self.settings = SourceSettings(reached, names, schema, start, on_gap, poll_ms, batch_size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.connection}, streams={cut(list(self.settings.streams))})"

    @property
    def produced(self) -> Produced:
        return Produced.by(self.settings.schema, timestamps=True, lanes=True)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return self.settings.schema.get_produced_type()

    def validate(self) -> None:
        self.settings.connection.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .enumerator import StreamsEnumerator

        return StreamsEnumerator(self.settings, self.bounded)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .reader import StreamsReader

        return StreamsReader(self.settings, context)
