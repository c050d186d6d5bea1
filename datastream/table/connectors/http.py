"""The connector ``http``: URLs that are read, written to and looked up in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.connectors.http import (
    HttpConnection,
    HttpCursor,
    HttpSink,
    HttpSource,
    HttpTls,
    ServerSentEventSource,
)
from datastream.errors import ValidationError
from datastream.io import Backoff, Source
from datastream.table.types.logical_types import ArrayType, BinaryType, MapType, MultisetType, VarBinaryType
from datastream.table.types.row_type import RowType

from .connector import SINK_PARALLELISM, Option, Settings, TableInfo, naming
from .http_rows import HttpTableLookup, TableRecords, UrlOfKey
from .lookup import LOOKUP_OPTIONS, lookup_cache
from .messages import MessageConnector
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

    from .lookup import TableLookup

_HEADER = "header."
_CURSOR = "scan.cursor."
_NO_KEYS = (ArrayType, MapType, MultisetType, RowType, BinaryType, VarBinaryType)
_KEY = re.compile(r"\{(\w+)\}")


class HttpConnector(MessageConnector):
    """See the module. Only new rows can be written."""

    name = "http"
    looks_up = True
    options = (
        Option("url", required=True, doc="Such as 'https://host/orders'. For lookups also 'https://host/orders/{id}'."),
        Option("header.*", doc="Headers of each request, such as `header.Authorization`."),
        Option("username", doc="For basic authentication. Default: as the URL says."),
        Option("password", doc="The user's. Default: as the URL says."),
        Option("tls.ca-file", doc="File of the authorities to trust (PEM). Default: those of the machine."),
        Option("timeout", "duration", 30_000, doc="How long connecting, and an answer, may take."),
        Option("max-body-size", "memory", 16 << 20, doc="The most bytes of an answer, or of an event."),
        Option("format", required=True, doc="Of the records."),
        Option(
            "records", doc="Where the array of records is in a body, such as `result.items`. Default: it is the body."
        ),
        Option(
            "scan.mode",
            default="poll",
            choices=("poll", "events"),
            doc="Ask again and again, or follow a stream of server-sent events.",
        ),
        Option("scan.interval", "duration", 10_000, doc="The pause after a response that brought nothing new."),
        Option(
            "scan.next-page", default="link", doc="Where a response names the next page: `link`, `none`, or a path."
        ),
        Option("scan.cursor.parameter", doc="The parameter of the query that gets the cursor."),
        Option("scan.cursor.field", doc="The field of the last record that is the cursor."),
        Option("scan.cursor.response", doc="Or where it is in the body."),
        Option("scan.cursor.header", doc="Or the header that has it."),
        Option("scan.cursor.initial", doc="Its value in the first request."),
        Option("scan.cursor.inclusive", "boolean", False, doc="Records with its value come again, and are dropped."),
        Option("scan.bounded", "boolean", False, doc="End with the last page, or when there is nothing new."),
        Option("scan.max-retries", "integer", 8, doc="How often a request that failed is tried again."),
        *LOOKUP_OPTIONS,
        Option("sink.method", default="post", choices=("post", "put", "patch"), doc="Of requests."),
        Option("sink.batch-size", "integer", doc="Records of a request at most. Default: one, which is its body."),
        Option("sink.batch-form", default="array", choices=("array", "lines"), doc="How a batch becomes a body."),
        Option("sink.parallel-requests", "integer", 1, doc="Requests that may be open at once. 1 keeps the order."),
        Option(
            "sink.on-refusal",
            default="fail",
            choices=("fail", "drop"),
            doc="What becomes of requests that are refused.",
        ),
        Option("sink.max-retries", "integer", 8, doc="How often a request that failed is tried again."),
        SINK_PARALLELISM,
    )

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        self.formatted(table, settings)
        lookup_cache(settings, str(table))
        for option in ("scan.max-retries", "sink.max-retries", "lookup.max-retries"):
            if settings[option] < 0:
                raise ValidationError(f"{table}: option '{option}' must not be negative, got {settings[option]}")
        with naming(table):
            _connection(table, settings)
            _cursor(settings)

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        schema = TableRecords(*self.reading(table, settings, wanted))
        with naming(table):
            connection, backoff = _connection(table, settings), Backoff(settings["scan.max-retries"])
            if _KEY.search(settings["url"]):
                raise ValidationError("a URL with a name in braces can only be looked up in")
            source: Source
            if settings["scan.mode"] == "events":
                events = ServerSentEventSource.builder().set_connection(connection).set_deserializer(schema)
                source = events.set_backoff(backoff).build()
            else:
                builder = HttpSource.builder().set_connection(connection).set_deserializer(schema).set_backoff(backoff)
                builder.set_records(settings["records"]).set_interval(settings["scan.interval"])
                builder.set_next_page(None if settings["scan.next-page"] == "none" else settings["scan.next-page"])
                cursor = _cursor(settings)
                if cursor is not None:
                    builder.set_cursor(cursor)
                if settings["scan.bounded"]:
                    builder.set_bounded()
                source = builder.build()
        return scanned(env, source, self, table, wanted, None)

    def lookup(self, table: TableInfo, keys: Sequence[str], wanted: Sequence[str]) -> TableLookup:
        settings = self.settings(table)
        for name in keys:
            if isinstance(table.type_of(name), _NO_KEYS):
                raise ValidationError(
                    f"{table}: the column '{name}' of the join has the type {table.type_of(name)}, which has no text"
                )
        for name in _KEY.findall(settings["url"]):
            if name not in keys:
                raise ValidationError(
                    f"{table}: the option 'url' needs the column '{name}', and the join compares {', '.join(keys)}"
                )
        decoder, _ = self.reading(table, settings, wanted)
        url = UrlOfKey(_connection(table, settings).url, [(name, table.type_of(name)) for name in keys])
        backoff = Backoff(settings["lookup.max-retries"])
        cache = lookup_cache(settings, str(table))
        return HttpTableLookup(_connection(table, settings), url, settings["records"], decoder, cache, backoff)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        content, _ = self.writing(table, settings)
        with naming(table):
            builder = HttpSink.builder().set_connection(_connection(table, settings)).set_serializer(content)
            builder.set_method(settings["sink.method"].upper()).set_on_refusal(settings["sink.on-refusal"])
            builder.set_parallel_requests(settings["sink.parallel-requests"])
            builder.set_backoff(Backoff(settings["sink.max-retries"]))
            if settings["sink.batch-size"] is not None:
                builder.set_batch(settings["sink.batch-size"], settings["sink.batch-form"])
            sink = builder.build()
        return self.written(stream, sink, settings, name)


def _connection(table: TableInfo, settings: Settings) -> HttpConnection:
    given = HttpConnection.of_url(settings["url"])
    headers = {name.removeprefix(_HEADER): value for name, value in table.options.items() if name.startswith(_HEADER)}
    user, password = settings["username"], settings["password"]
    return HttpConnection(
        given.url,
        headers,
        given.user_name if user is None else user,
        given.password if password is None else password,
        None if settings["tls.ca-file"] is None else HttpTls(settings["tls.ca-file"]),
        settings["timeout"],
        settings["max-body-size"],
    )


def _cursor(settings: Settings) -> HttpCursor | None:
    """The cursor; None: there is none."""
    names = ("field", "response", "header", "initial")
    values = {name: settings[_CURSOR + name] for name in names if settings[_CURSOR + name] is not None}
    parameter = settings[_CURSOR + "parameter"]
    if parameter is None:
        if values or settings[_CURSOR + "inclusive"]:
            raise ValidationError("options 'scan.cursor.*' need 'scan.cursor.parameter'")
        return None
    return HttpCursor(parameter, inclusive=settings[_CURSOR + "inclusive"], **values)
