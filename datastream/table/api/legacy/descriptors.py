"""Descriptors of connectors, formats and columns, for ``TableEnvironment.connect`` of older programs.

New programs: `TableDescriptor` and `Schema` of ``pyflink.table``, or CREATE TABLE.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.api.table_descriptor import TableDescriptor
from datastream.table.catalogs.schema import Schema as NewSchema
from datastream.table.catalogs.table_schema import TableSchema
from datastream.table.dsl.old_types import data_type
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import quoted

if TYPE_CHECKING:
    from datastream.table.api.table_environment import TableEnvironment

__all__ = [
    "Avro",
    "BatchTableDescriptor",
    "ConnectTableDescriptor",
    "ConnectorDescriptor",
    "Csv",
    "CustomConnectorDescriptor",
    "CustomFormatDescriptor",
    "Elasticsearch",
    "FileSystem",
    "FormatDescriptor",
    "HBase",
    "Json",
    "Kafka",
    "OldCsv",
    "Rowtime",
    "Schema",
    "StreamTableDescriptor",
]


class Rowtime:
    """Where event time comes from, and its watermarks."""

    def __init__(self) -> None:
        self.field: str | None = None
        self.delay_ms: int | None = None

    def timestamps_from_field(self, field_name: str) -> Rowtime:
        """Take it from a field."""
        self.field = field_name
        return self

    def timestamps_from_source(self) -> Rowtime:
        """Take it from the records' own timestamps."""
        self.field = None
        return self

    def timestamps_from_extractor(self, extractor: str) -> Rowtime:
        """Take it from a class of Java."""
        raise UnsupportedOperation("Rowtime.timestamps_from_extractor: Java classes cannot be used: name a field")

    def watermarks_periodic_ascending(self) -> Rowtime:
        """Times ascend."""
        self.delay_ms = 1
        return self

    def watermarks_periodic_bounded(self, delay: int) -> Rowtime:
        """Times are late by at most this number of ms."""
        self.delay_ms = delay
        return self

    def watermarks_from_source(self) -> Rowtime:
        """Take watermarks from the source."""
        raise UnsupportedOperation("Rowtime.watermarks_from_source: use watermarks_periodic_bounded(ms)")

    def watermarks_from_strategy(self, strategy: str) -> Rowtime:
        """Take watermarks from a class of Java."""
        raise UnsupportedOperation("Rowtime.watermarks_from_strategy: use watermarks_periodic_bounded(ms)")


class Schema:
    """The columns of a table."""

    def __init__(
        self,
        schema: TableSchema | None = None,
        fields: Mapping[str, DataType | str] | None = None,
        rowtime: Rowtime | None = None,
    ) -> None:
        self.columns: dict[str, DataType] = {}
        self.origins: dict[str, str] = {}
        self.times: dict[str, Rowtime | None] = {}
        if schema is not None:
            self.schema(schema)
        if fields is not None:
            self.fields(fields)
        if rowtime is not None:
            self.rowtime(rowtime)

    def schema(self, table_schema: TableSchema) -> Schema:
        """Set all columns."""
        names, kinds = table_schema.get_field_names(), table_schema.get_field_data_types()
        self.columns = dict(zip(names, kinds, strict=True))
        return self

    def field(self, field_name: str, field_type: DataType | str) -> Schema:
        """Add a column."""
        if field_name in self.columns:
            raise ValidationError(f"Schema: the column {field_name!r} is there twice")
        self.columns[field_name] = data_type(field_type, f"Schema, column {field_name!r}")
        return self

    def fields(self, fields: Mapping[str, DataType | str]) -> Schema:
        """Add columns."""
        for name, kind in fields.items():
            self.field(name, kind)
        return self

    def from_origin_field(self, origin_field_name: str) -> Schema:
        """Take the last column from a field of another name."""
        self.origins[self._last("from_origin_field")] = origin_field_name
        return self

    def proctime(self) -> Schema:
        """Make the last column the machine's time."""
        self.times[self._last("proctime")] = None
        return self

    def rowtime(self, rowtime: Rowtime) -> Schema:
        """Make the last column event time."""
        self.times[self._last("rowtime")] = rowtime
        return self

    def _last(self, call: str) -> str:
        if not self.columns:
            raise ValidationError(f"Schema.{call} is about the last column, and there is none: call field(...) before")
        return list(self.columns)[-1]

    def renewed(self) -> NewSchema:
        """The columns as they are declared now."""
        made, later = NewSchema.new_builder(), NewSchema.new_builder()
        for name, kind in self.columns.items():
            time = self.times.get(name)
            if time is not None and (time.field or name) != name:
                if time.field not in self.columns:
                    later.column(str(time.field), kind)
                made.column_by_expression(name, f"CAST({quoted(str(time.field))} AS TIMESTAMP(3))")
            elif name in self.times and time is None:
                made.column_by_expression(name, "PROCTIME()")
            else:
                made.column(name, kind)
        made.from_schema(later.build())
        for name, time in self.times.items():
            if time is not None and time.delay_ms is not None:
                seconds = f"{time.delay_ms / 1000:.3f}"
                made.watermark(name, f"{quoted(name)} - INTERVAL '{seconds}' SECOND")
        return made.build()


class FormatDescriptor:
    """A format: its name, its options, and what it says of the fields."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.options: dict[str, str] = {}
        self.field_types: dict[str, DataType] = {}

    def _set(self, key: str, value: Any) -> Self:
        self.options[key] = str(value).lower() if isinstance(value, bool) else str(value)
        return self


class Csv(FormatDescriptor):
    """Values with commas between them."""

    def __init__(self) -> None:
        super().__init__("csv")

    def field(self, field_name: str, field_type: DataType | str) -> Self:
        """Add a field of the lines."""
        self.field_types[field_name] = data_type(field_type, f"{type(self).__name__}, field {field_name!r}")
        return self

    def schema(self, schema: TableSchema | RowType) -> Self:
        """Set all fields of the lines."""
        if isinstance(schema, RowType):
            self.field_types = {field.name: field.data_type for field in schema}
        else:
            pairs = zip(schema.get_field_names(), schema.get_field_data_types(), strict=True)
            self.field_types = dict(pairs)
        return self

    def derive_schema(self) -> Self:
        """The fields are the columns; that is so where none are set."""
        self.field_types = {}
        return self

    def field_delimiter(self, delimiter: str) -> Self:
        """Set what stands between two fields. Default: a comma."""
        return self._set("field-delimiter", delimiter)

    def line_delimiter(self, delimiter: str) -> Self:
        """Set what stands between two rows. Default: a line end."""
        return self._set("line-delimiter", delimiter)

    def quote_character(self, quote_character: str) -> Self:
        """Set what stands around fields that hold delimiters."""
        return self._set("quote-character", quote_character)

    def disable_quote_character(self) -> Self:
        """No field is quoted."""
        return self._set("quote-character", "")

    def allow_comments(self) -> Self:
        """Skip lines that begin with ``#``."""
        return self._set("allow-comments", True)

    def ignore_parse_errors(self) -> Self:
        """Leave rows out that cannot be read."""
        return self._set("ignore-parse-errors", True)

    def array_element_delimiter(self, delimiter: str) -> Self:
        """Set what stands between two elements of an array. Default: a semicolon."""
        return self._set("array-element-delimiter", delimiter)

    def escape_character(self, escape_character: str) -> Self:
        """Set what stands before a character that is meant as itself."""
        return self._set("escape-character", escape_character)

    def null_literal(self, null_literal: str) -> Self:
        """Set the text of NULL."""
        return self._set("null-literal", null_literal)


class OldCsv(Csv):
    """Values with commas between them and without quotes, as of a `CsvTableSource`."""

    def __init__(self) -> None:
        super().__init__()
        self._set("quote-character", "")

    def comment_prefix(self, prefix: str) -> Self:
        """Skip lines that begin with a text: ``#``."""
        if prefix != "#":
            raise UnsupportedOperation(f"OldCsv.comment_prefix: only '#' is available, got {cut(prefix)}")
        return self.allow_comments()

    def ignore_first_line(self) -> Self:
        """Skip the first line of each file."""
        return self._set("ignore-first-line", True)


class Json(FormatDescriptor):
    """JSON objects."""

    def __init__(self) -> None:
        super().__init__("json")

    def fail_on_missing_field(self, fail_on_missing_field: bool) -> Self:
        """Set whether a field that is not there is an error. Default: it is NULL."""
        return self._set("fail-on-missing-field", fail_on_missing_field)

    def ignore_parse_errors(self, ignore_parse_errors: bool) -> Self:
        """Set whether what cannot be read is left out."""
        return self._set("ignore-parse-errors", ignore_parse_errors)

    def json_schema(self, json_schema: str) -> Self:
        """The fields as a JSON schema; those of the table's schema count."""
        json.loads(json_schema)
        return self

    def schema(self, data_type: DataType) -> Self:
        """The fields as a ROW type; those of the table's schema count."""
        return self

    def derive_schema(self) -> Self:
        """The fields are the columns, as is always so."""
        return self


class Avro(FormatDescriptor):
    """Avro records."""

    def __init__(self) -> None:
        super().__init__("avro")

    def record_class(self, record_class: str) -> Self:
        """Set a class of Java."""
        raise UnsupportedOperation("Avro.record_class: Java classes cannot be used: the table's schema counts")

    def avro_schema(self, avro_schema: str) -> Self:
        """The fields as an Avro schema; those of the table's schema count."""
        json.loads(avro_schema)
        return self


class CustomFormatDescriptor(FormatDescriptor):
    """A format by its name and options."""

    def __init__(self, type: str, version: int) -> None:
        super().__init__(type)

    def property(self, key: str, value: str) -> Self:
        """Set an option."""
        return self._set(key.removeprefix("format."), value)

    def properties(self, property_dict: Mapping[str, str]) -> Self:
        """Set options."""
        for key, value in property_dict.items():
            self.property(key, value)
        return self


class ConnectorDescriptor:
    """A connector: its name and its options.

    Attributes:
        NEEDED: An option without which there is no table -> the call that sets it.
    """

    NEEDED: ClassVar[Mapping[str, str]] = {}

    def __init__(self, name: str) -> None:
        self.name = name
        self.options: dict[str, str] = {}

    def _set(self, key: str, value: Any) -> Self:
        self.options[key] = str(value)
        return self


class FileSystem(ConnectorDescriptor):
    """A file, or a folder of files to be read."""

    NEEDED = {"path": "path('...')"}

    def __init__(self) -> None:
        super().__init__("legacy-csv")

    def path(self, path_str: str) -> FileSystem:
        """Set where it is."""
        return self._set("path", path_str)


class Kafka(ConnectorDescriptor):
    """A topic of Kafka."""

    NEEDED = {"topic": "topic('...')", "properties.bootstrap.servers": "property('bootstrap.servers', '...')"}

    def __init__(self) -> None:
        super().__init__("kafka")

    def version(self, version: str) -> Kafka:
        """Set the version of the servers, which does not matter any more."""
        return self

    def topic(self, topic: str) -> Kafka:
        """Set the topic."""
        return self._set("topic", topic)

    def property(self, key: str, value: str) -> Kafka:
        """Set a property of the client."""
        return self if key == "zookeeper.connect" else self._set(f"properties.{key}", value)

    def properties(self, property_dict: Mapping[str, str]) -> Kafka:
        """Set properties of the client."""
        for key, value in property_dict.items():
            self.property(key, value)
        return self

    def start_from_earliest(self) -> Kafka:
        """Start at the first records."""
        return self._set("scan.startup.mode", "earliest-offset")

    def start_from_latest(self) -> Kafka:
        """Start at the end."""
        return self._set("scan.startup.mode", "latest-offset")

    def start_from_group_offsets(self) -> Kafka:
        """Start where the consumer group is. The default."""
        return self._set("scan.startup.mode", "group-offsets")

    def start_from_specific_offsets(self, specific_offsets_dict: Mapping[int, int]) -> Kafka:
        """Start at offsets, by partition."""
        texts = [f"partition:{partition},offset:{offset}" for partition, offset in specific_offsets_dict.items()]
        self._set("scan.startup.mode", "specific-offsets")
        return self._set("scan.startup.specific-offsets", ";".join(texts))

    def start_from_specific_offset(self, partition: int, specific_offset: int) -> Kafka:
        """Start at an offset of a partition."""
        given = self.options.get("scan.startup.specific-offsets")
        self._set("scan.startup.mode", "specific-offsets")
        text = f"partition:{int(partition)},offset:{int(specific_offset)}"
        return self._set("scan.startup.specific-offsets", f"{given};{text}" if given else text)

    def sink_partitioner_fixed(self) -> Kafka:
        """Each task writes into one partition."""
        return self._set("sink.partitioner", "fixed")

    def sink_partitioner_round_robin(self) -> Kafka:
        """Rows are dealt out to the partitions."""
        return self._set("sink.partitioner", "round-robin")


class CustomConnectorDescriptor(ConnectorDescriptor):
    """A connector by its name and options."""

    def __init__(self, type: str, version: int, format_needed: bool) -> None:
        super().__init__(type)

    def property(self, key: str, value: str) -> Self:
        """Set an option."""
        return self._set(key.removeprefix("connector."), value)

    def properties(self, property_dict: Mapping[str, str]) -> Self:
        """Set options."""
        for key, value in property_dict.items():
            self.property(key, value)
        return self


class Elasticsearch(ConnectorDescriptor):
    """An index of Elasticsearch, which tables cannot write."""

    def __init__(self) -> None:
        raise UnsupportedOperation(
            "descriptors.Elasticsearch: there is no table connector for Elasticsearch: write a stream with "
            "ElasticsearchSink (table to stream: to_append_stream)"
        )


class HBase(ConnectorDescriptor):
    """A table of HBase."""

    def __init__(self) -> None:
        raise UnsupportedOperation("descriptors.HBase: there is no connector for HBase: write one in Python")


class ConnectTableDescriptor:
    """A table that is being declared: what ``connect`` returns.

    A method that it does not have itself is one of the format or schema that was given last.
    """

    def __init__(self, t_env: TableEnvironment, connector: ConnectorDescriptor) -> None:
        if not isinstance(connector, ConnectorDescriptor):
            raise ValidationError(f"connect needs a connector such as FileSystem().path(...), got {cut(connector)}")
        self._t_env, self._connector = t_env, connector
        self._format: FormatDescriptor | None = None
        self._schema: Schema | None = None
        self._last: FormatDescriptor | Schema | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._last, name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        method = getattr(self._last, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            method(*args, **kwargs)
            return self

        return call

    def with_format(self, format_descriptor: FormatDescriptor) -> Self:
        """Set the format."""
        if not isinstance(format_descriptor, FormatDescriptor):
            raise ValidationError(f"with_format needs a format such as Json(), got {cut(format_descriptor)}")
        self._format = self._last = format_descriptor
        return self

    def with_schema(self, schema: Schema) -> Self:
        """Set the columns."""
        if not isinstance(schema, Schema):
            raise ValidationError(f"with_schema needs a Schema of pyflink.table.descriptors, got {cut(schema)}")
        self._schema = self._last = schema
        return self

    def in_append_mode(self) -> Self:
        """Only new rows are written. The default."""
        return self

    def in_retract_mode(self) -> Self:
        """Rows are written and taken back."""
        raise UnsupportedOperation("in_retract_mode: no connector writes so: use a table of the connector upsert-kafka")

    def in_upsert_mode(self) -> Self:
        """Rows take the place of those of their key."""
        raise UnsupportedOperation("in_upsert_mode: no connector writes so: use a table of the connector upsert-kafka")

    def create_temporary_table(self, path: str) -> None:
        """Declare the table under a name."""
        self._t_env.create_temporary_table(path, self._table())

    def register_table_source(self, name: str) -> None:
        """Declare the table under a name, to be read."""
        self.create_temporary_table(name)

    def register_table_sink(self, name: str) -> None:
        """Declare the table under a name, to be written."""
        self.create_temporary_table(name)

    def register_table_source_and_sink(self, name: str) -> None:
        """Declare the table under a name."""
        self.create_temporary_table(name)

    def _table(self) -> TableDescriptor:
        if self._schema is None:
            raise ValidationError("connect: the columns are missing: call with_schema(Schema().field(...))")
        for option, call in self._connector.NEEDED.items():
            if option not in self._connector.options:
                name = type(self._connector).__name__
                raise ValidationError(f"connect: {name}() does not say its {option}: call {name}().{call}")
        made = TableDescriptor.for_connector(self._connector.name).schema(self._schema.renewed())
        options = dict(self._connector.options)
        if self._connector.name == "legacy-csv":
            options |= self._file_options()
        elif self._schema.origins:
            raise UnsupportedOperation(
                "from_origin_field: only files of CSV have other names than the columns: "
                "rename the columns of what you read, with alias"
            )
        elif self._format is not None:
            options["format"] = self._format.name
            options |= {f"{self._format.name}.{key}": value for key, value in self._format.options.items()}
        for key, value in options.items():
            made.option(key, value)
        return made.build()

    def _file_options(self) -> dict[str, str]:
        """The options of a file of CSV: how it is written, and which field is which column."""
        assert self._schema is not None
        if not isinstance(self._format, Csv):
            name = "no format" if self._format is None else type(self._format).__name__
            raise UnsupportedOperation(
                f"FileSystem with {name}: only OldCsv and Csv: use TableDescriptor.for_connector('filesystem')"
            )
        options = dict(self._format.options)
        stored = [name for name in self._schema.columns if name not in self._schema.times]
        for time in self._schema.times.values():
            if time is not None and time.field is not None and time.field not in stored:
                stored.append(time.field)
        origins = {name: self._schema.origins.get(name, name) for name in stored}
        fields = list(self._format.field_types) or list(origins.values())
        missing = [name for name, origin in origins.items() if origin not in fields]
        if missing:
            raise ValidationError(
                f"with_schema: the format has no field for the column {missing[0]!r}; its fields: {', '.join(fields)}"
            )
        by_field = {origin: name for name, origin in origins.items()}
        options["columns"] = json.dumps([by_field.get(field) for field in fields])
        return options


class StreamTableDescriptor(ConnectTableDescriptor):
    """What ``connect`` of a `StreamTableEnvironment` returns."""


class BatchTableDescriptor(ConnectTableDescriptor):
    """What ``connect`` of a `BatchTableEnvironment` returns."""
