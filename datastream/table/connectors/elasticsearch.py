"""The connectors of Elasticsearch and OpenSearch: indexes whose documents are rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NoReturn

from datastream.connectors import DeliveryGuarantee
from datastream.connectors.elasticsearch import (
    ElasticsearchConnection,
    ElasticsearchSinkBuilder,
    FlushBackoffType,
    OpenSearchConnection,
    fail,
    ignore,
)
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.functions.date_time_formatter import date_time_formatter
from datastream.table.types.logical_types import (
    ArrayType,
    BinaryType,
    DataType,
    DateType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    TimestampType,
    VarBinaryType,
)
from datastream.table.types.row_type import RowType

from .connector import SINK_PARALLELISM, KeyedConnector, Option, Settings, TableInfo, naming, only_sink
from .elasticsearch_documents import Documents, IndexPart
from .formats.changes import ChangeFormat
from .formats.format import Layout
from .formats.registry import find_format, format_options, format_settings

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MB = 1 << 20
_NO_KEYS = (ArrayType, MapType, MultisetType, RowType, BinaryType, VarBinaryType)
_TIMES = (DateType, TimestampType, LocalZonedTimestampType)
_HANDLERS = {"fail": fail, "retry-rejected": fail, "ignore": ignore}
_FIELD = re.compile(r"\{([^{}|]*)(?:\|([^{}]*))?\}")
_NOW = "now()"


class ElasticsearchConnector(KeyedConnector):
    """See the module. It only writes. With a PRIMARY KEY documents have ids, and rows replace and delete them."""

    name = "elasticsearch-7"
    reach: ClassVar[type[ElasticsearchConnection]] = ElasticsearchConnection
    options: ClassVar[tuple[Option, ...]] = (
        Option("hosts", "list", required=True, doc="Nodes: 'http://a:9200;http://b:9200'."),
        Option(
            "index", required=True, doc="The index; '{column}' stands for a value, '{column|yyyy-MM-dd}' for a time."
        ),
        Option("document-id.key-delimiter", default="_", doc="Between the values of a PRIMARY KEY of several columns."),
        Option("username", doc="Of basic authentication."),
        Option("password", doc="The user's. Never shown."),
        Option("format", default="json", choices=("json",), doc="Of documents."),
        Option(
            "failure-handler",
            default="fail",
            choices=tuple(_HANDLERS),
            doc="What becomes of documents that are refused. Those for which there is no room are always tried again.",
        ),
        Option(
            "sink.delivery-guarantee",
            default="at-least-once",
            choices=("none", "at-least-once", "exactly-once"),
            doc="Exactly once: documents without a PRIMARY KEY get ids of the job.",
        ),
        Option("sink.bulk-flush.max-actions", "integer", 1000, doc="Actions of a bulk request at most; 0: no limit."),
        Option("sink.bulk-flush.max-size", "memory", 2 * _MB, doc="Its size at most; 0: no limit."),
        Option("sink.bulk-flush.interval", "duration", 1000, doc="Its age at most; 0: no limit. An epoch ends it."),
        Option(
            "sink.bulk-flush.backoff.strategy",
            default="exponential",
            choices=("disabled", "constant", "exponential"),
            doc="How a bulk request is tried again.",
        ),
        Option("sink.bulk-flush.backoff.max-retries", "integer", 8, doc="How often."),
        Option("sink.bulk-flush.backoff.delay", "duration", 50, doc="The first pause."),
        Option("sink.flush-on-checkpoint", "boolean", True, doc="Has no effect: an epoch is written before it ends."),
        Option("connection.path-prefix", doc="What the path of each request begins with."),
        Option("connection.request-timeout", "duration", doc="Has no effect."),
        Option("connection.timeout", "duration", doc="Has no effect."),
        Option("socket.timeout", "duration", 30_000, doc="How long an answer may take."),
        SINK_PARALLELISM,
    )

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        name = table.options.get("format", "json")
        return (*super().options_of(table), *format_options("", find_format(name, str(table))))

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        illegal = [each for each in table.primary_key if isinstance(table.type_of(each), _NO_KEYS)]
        if illegal:
            kinds = ", ".join(f"'{each}' {table.type_of(each)}" for each in illegal)
            raise ValidationError(
                f"{table}: the PRIMARY KEY has columns whose values cannot be part of a document's id: {kinds}"
            )
        for name in ("sink.bulk-flush.max-actions", "sink.bulk-flush.backoff.max-retries"):
            if settings[name] < 0:
                raise ValidationError(f"{table}: option '{name}' must not be below 0, got {settings[name]}")
        self.connection(table, settings)
        _index(table, settings["index"])

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> NoReturn:
        raise only_sink(self.name)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        index = _index(table, settings["index"])
        if updates and any(each.kind is not None and each.column is None for each in index):
            raise ValidationError(
                f"{table}: option 'index': {settings['index']!r} has the time of writing, so a row that replaces or "
                "deletes a document would not find it: the query may only add rows; name the index by a column"
            )
        form = find_format(settings["format"], str(table))
        assert not isinstance(form, ChangeFormat)
        layout = Layout(table.columns, f"{table}, format {form.name}")
        documents = Documents(
            form.encoder(layout, format_settings("", form, settings)),
            index,
            [(layout.names.index(each), table.type_of(each)) for each in table.primary_key],
            settings["document-id.key-delimiter"],
            updates,
        )
        builder = ElasticsearchSinkBuilder().set_hosts(self.connection(table, settings))  # type: ignore[arg-type]
        builder.set_emitter(documents).set_failure_handler(_HANDLERS[settings["failure-handler"]])
        guarantee = settings["sink.delivery-guarantee"].upper().replace("-", "_")
        builder.set_delivery_guarantee(DeliveryGuarantee[guarantee])
        builder.set_bulk_flush_max_actions(settings["sink.bulk-flush.max-actions"] or -1)
        builder.set_bulk_flush_max_size_mb(-(-settings["sink.bulk-flush.max-size"] // _MB) or -1)
        builder.set_bulk_flush_interval(settings["sink.bulk-flush.interval"] or -1)
        strategy = settings["sink.bulk-flush.backoff.strategy"].upper().replace("DISABLED", "NONE")
        builder.set_bulk_flush_backoff_strategy(
            FlushBackoffType[strategy],
            settings["sink.bulk-flush.backoff.max-retries"],
            settings["sink.bulk-flush.backoff.delay"],
        )
        return self.written(stream, builder.build(), settings, name)

    def connection(self, table: TableInfo, settings: Settings) -> ElasticsearchConnection:
        """How the cluster is reached.

        Raises:
            ValidationError: An option is wrong.
        """
        with naming(table):
            return self.reach(
                tuple(settings["hosts"]),
                settings["username"],
                settings["password"],
                path_prefix=settings["connection.path-prefix"],
                request_timeout_ms=settings["socket.timeout"],
                allow_insecure=settings.get("allow-insecure", False),
            )


class OpensearchConnector(ElasticsearchConnector):
    """The same for OpenSearch, by the options of Flink's connector."""

    name: ClassVar[str] = "opensearch"
    reach = OpenSearchConnection
    options = (
        *ElasticsearchConnector.options,
        Option("allow-insecure", "boolean", False, doc="Trust any certificate of 'https://' nodes."),
    )


class Opensearch2Connector(OpensearchConnector):
    """The same by another name."""

    name: ClassVar[str] = "opensearch-2"


class Elasticsearch8Connector(ElasticsearchConnector):
    """The same by another name."""

    name: ClassVar[str] = "elasticsearch-8"


def _index(table: TableInfo, text: str) -> list[IndexPart]:
    """The parts of the names of indexes.

    Raises:
        ValidationError: It names no column, or a format for one that is no time.
    """
    if not text.strip():
        raise ValidationError(f"{table}: option 'index': the name is empty")
    names, parts, at = [column.name for column in table.columns], [], 0
    for found in _FIELD.finditer(text):
        parts.append(IndexPart(text[at : found.start()]))
        at = found.end()
        field, pattern = found.groups()
        if field.strip() == _NOW:
            shown = _pattern(table, pattern or "yyyy_MM_dd")
            parts.append(IndexPart("", None, LocalZonedTimestampType(3), shown))
            continue
        if field not in names:
            raise ValidationError(f"{table}: option 'index': there is no column '{field}' in {text!r}")
        parts.append(IndexPart("", names.index(field), table.type_of(field), _checked(table, field, pattern)))
    return [*parts, IndexPart(text[at:])]


def _checked(table: TableInfo, field: str, pattern: str | None) -> str | None:
    kind: DataType = table.type_of(field)
    if isinstance(kind, _NO_KEYS):
        raise ValidationError(f"{table}: option 'index': the column '{field}' has the type {kind}, which has no text")
    if pattern is None:
        return None
    if not isinstance(kind, _TIMES):
        raise UnsupportedOperation(
            f"{table}: option 'index': the column '{field}' of the type {kind} cannot have the format {pattern!r}: "
            "only DATE and TIMESTAMP can"
        )
    return _pattern(table, pattern or "yyyy_MM_dd")


def _pattern(table: TableInfo, pattern: str) -> str:
    try:
        date_time_formatter(pattern)
    except ValidationError as error:
        raise ValidationError(f"{table}: option 'index': {error}") from None
    return pattern
