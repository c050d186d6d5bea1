"""`HttpSource`: the records that a URL has, asked for again and again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from datastream.connectors.server_settings import checked_connection, checked_number
from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema, SimpleStringSchema
from datastream.formats.schema import checked_schema
from datastream.io import Backoff, EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator

from .connection import HttpConnection
from .cursor import HttpCursor
from .settings import Polling


class HttpSource(Source):
    """The records in the JSON that a URL answers with, asked for again and again; for ``from_source``.

    Made by `HttpSource.builder`. Each response is stored beside the checkpoint before an epoch reads it: an epoch that
    runs again reads the same. What has been read goes into the query of the next request, if there is an `HttpCursor`.

    Attributes:
        polling: The settings.
    """

    def __init__(self, polling: Polling) -> None:
        self.polling = polling
        self.bounded = polling.bounded
        self.grows = polling.cursor is not None

    @staticmethod
    def builder() -> HttpSourceBuilder:
        """A builder."""
        return HttpSourceBuilder()

    def __repr__(self) -> str:
        return f"HttpSource({self.polling.connection})"

    @property
    def produced(self) -> Produced:
        return Produced.by(self.polling.schema)

    def validate(self) -> None:
        self.polling.connection.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        from .pages import PageEnumerator  # its client takes its time to import
        from .polling import Poller

        polling = self.polling
        return PageEnumerator(lambda state, logger: Poller(polling, state, logger), polling.initial(), context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        from .pages import PageReader

        return PageReader(self.polling.schema, self.polling.connection.address, context)


class HttpSourceBuilder:
    """Builds an `HttpSource`. It needs a connection."""

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}

    def set_connection(self, connection: HttpConnection | str) -> Self:
        """Set what is asked for: a connection, or a URL such as ``https://user:password@host/path?limit=100``."""
        self._settings["connection"] = checked_connection(HttpConnection, connection, "HttpSource")
        return self

    def set_deserializer(self, schema: DeserializationSchema) -> Self:
        """Set how the JSON of a record becomes a record. Default: its text."""
        self._settings["schema"] = checked_schema(schema, "HttpSource")
        return self

    def set_records(self, path: str | None) -> Self:
        """Set where the array of records is in the body: names with dots between them, such as ``result.items``.

        Default: the body is an array of records, or one record.
        """
        self._settings["records"] = None if path is None else _path(path, "set_records")
        return self

    def set_interval(self, ms: int) -> Self:
        """Set the pause after a response that brought nothing new, or the last page. Default: 10,000 ms."""
        self._settings["interval_ms"] = checked_number(ms, "HttpSource: the interval", 0)
        return self

    def set_next_page(self, where: str | None) -> Self:
        """Set where a response names the next page.

        Args:
            where: ``link``, the default: the header ``Link: <URL>; rel="next"``. Else where the URL is in the body, as
                names with dots between them. None: there are no pages.
        """
        self._settings["next_page"] = None if where is None else _path(where, "set_next_page")
        return self

    def set_cursor(self, cursor: HttpCursor) -> Self:
        """Set what the query of the next request holds. Default: all requests are the same."""
        if not isinstance(cursor, HttpCursor):
            raise ValidationError(f"HttpSource: set_cursor needs an HttpCursor, got {cut(cursor)}")
        self._settings["cursor"] = cursor
        return self

    def set_bounded(self) -> Self:
        """End with the last page; with a cursor, when a response brings nothing new. Default: the source never ends."""
        self._settings["bounded"] = True
        return self

    def set_backoff(self, backoff: Backoff) -> Self:
        """Set the tries of a request and the pauses between them. Default: 8 tries more, after 100 ms to 5 s."""
        if not isinstance(backoff, Backoff):
            raise ValidationError(f"HttpSource: backoff must be a Backoff, got {cut(backoff)}")
        self._settings["backoff"] = backoff
        return self

    def build(self) -> HttpSource:
        """The source.

        Raises:
            ValidationError: The connection is missing.
        """
        if "connection" not in self._settings:
            raise ValidationError("HttpSource needs set_connection, such as 'https://host/path'")
        settings = dict(self._settings)
        schema = settings.pop("schema", None) or SimpleStringSchema()
        return HttpSource(replace(Polling(settings.pop("connection"), schema), **settings))


def _path(path: Any, what: str) -> str:
    if not isinstance(path, str) or not all(path.split(".")):
        raise ValidationError(f"HttpSource: {what} needs names with dots between them, got {cut(path)}")
    return path
