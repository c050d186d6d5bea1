"""The formats ``avro`` and ``avro-confluent``: a message is an Avro record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats import DeserializationSchema, SerializationSchema
from datastream.formats.avro import (
    AvroSchema,
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
    to_row_type,
)
from datastream.formats.avro.messages import AvroReader, AvroWriter
from datastream.table.connectors.options import Option

from .avro_schemas import avro_schema, row_of
from .engine_rows import rows_of, tuples_of
from .format import Decoder, Layout, TableFormat, unreadable

_LEGACY = Option(
    "timestamp_mapping.legacy", "boolean", True, doc="TIMESTAMP is a point in time in ms; there is no TIMESTAMP_LTZ."
)


class AvroFormat(TableFormat):
    """Messages without a schema: reader and writer have the schema that Flink makes of the columns."""

    name = "avro"
    lines = False
    options = (_LEGACY, Option("encoding", default="binary", choices=("binary",), doc="Only binary."))

    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> Decoder:
        legacy = options["timestamp_mapping.legacy"]
        read = _read_columns(layout, wanted)
        schema = avro_schema(layout, read, legacy)
        reader = AvroReader(schema, avro_schema(layout, layout.names, legacy), to_row_type(schema))
        return AvroDecoder(layout, wanted, reader)

    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        schema = avro_schema(layout, layout.names, options["timestamp_mapping.legacy"])
        return AvroEncoder(layout, AvroWriter(schema, to_row_type(schema)))


class AvroConfluentFormat(TableFormat):
    """Messages that bear the number of their schema in a schema registry."""

    name = "avro-confluent"
    lines = False
    options = (
        Option("url", required=True, doc="The registry's address."),
        Option("subject", doc="Under which the schema is registered. Default: the topic followed by -key or -value."),
        Option("schema", doc="The schema of the messages, if another one than that of the columns."),
        Option("basic-auth.user-info", doc="User and password: user:password."),
        Option("basic-auth.credentials-source", doc="Has no effect."),
        Option("properties.*", doc="Of the registry's client."),
        _LEGACY,
    )

    def decoder(self, layout: Layout, wanted: Sequence[str], options: Mapping[str, Any]) -> Decoder:
        registry, legacy = _registry(layout, options), options["timestamp_mapping.legacy"]
        schema = avro_schema(layout, _read_columns(layout, wanted), legacy)
        made = ConfluentRegistryAvroDeserializationSchema.for_row(schema, *registry)
        return AvroDecoder(layout, wanted, made)

    def encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        registry = _registry(layout, options)
        subject = options["subject"] or layout.subject
        if subject is None:
            raise ValidationError(f"{layout.of}: the option 'avro-confluent.subject' is missing")
        if options["schema"] is not None:
            schema = AvroSchema(options["schema"])
        else:
            schema = avro_schema(layout, layout.names, options["timestamp_mapping.legacy"])
        made = ConfluentRegistryAvroSerializationSchema.for_row(subject, schema, *registry)
        return AvroEncoder(layout, made)


def _registry(layout: Layout, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if options["url"] is None:
        raise ValidationError(f"{layout.of}: the option 'avro-confluent.url' is missing")
    config = dict(options["properties.*"] or {})
    if options["basic-auth.user-info"] is not None:
        config["basic.auth.user.info"] = options["basic-auth.user-info"]
    return options["url"], config


def _read_columns(layout: Layout, wanted: Sequence[str]) -> list[str]:
    return list(wanted) or list(layout.names[:1])  # a record of no field would be read from any bytes


class AvroDecoder(Decoder):
    """Reads messages by a schema of the engine's.

    Args:
        layout: The columns.
        wanted: Which of them, as the schema's rows have them; empty: its rows have any.
        reader: Gives rows.
    """

    def __init__(self, layout: Layout, wanted: Sequence[str], reader: DeserializationSchema) -> None:
        self._of, self._reader, self._wanted = layout.of, reader, bool(wanted)
        self._kind = row_of(layout, _read_columns(layout, wanted))

    @cached_property
    def _tuples(self) -> Any:
        return tuples_of(self._kind)

    def rows(self, messages: Sequence[bytes]) -> list[Any]:
        found = self._reader.deserialize_block(messages)
        return self._tuples(found) if self._wanted else [()] * len(found)

    def row(self, data: bytes) -> tuple[Any, ...] | None:
        try:
            return self.rows((data,))[0]  # type: ignore[no-any-return]
        except FormatError as error:
            raise unreadable(self._of, f"{error}; the message is {cut(data)}") from None
        except (TypeError, ValueError) as error:
            raise unreadable(self._of, f"{error}; the message is {cut(data)}") from None


class AvroEncoder(SerializationSchema):
    """Writes tuples by a schema of the engine's.

    Args:
        layout: The columns.
        writer: Takes rows.
    """

    def __init__(self, layout: Layout, writer: SerializationSchema) -> None:
        self._of, self._writer = layout.of, writer
        self._kind = row_of(layout, layout.names)

    @cached_property
    def _rows(self) -> Any:
        return rows_of(self._kind)

    def serialize(self, value: Any) -> bytes:
        return self.serialize_block((value,))[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        try:
            return self._writer.serialize_block(self._rows(values))
        except FormatError as error:
            raise FormatError(f"{self._of}: {error}") from None
