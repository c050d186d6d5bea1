"""The format ``debezium-json``: changes as Debezium writes them, with the row before and the row after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from datastream.errors import ValidationError
from datastream.formats import SerializationSchema
from datastream.table.connectors.options import Option
from datastream.table.plan.relations import Column
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType

from .debezium import message, rows_of
from .format import Layout
from .json_changes import Change, JsonChangeFormat, JsonChanges, json_change_encoder, json_options, micros
from .row_columns import row_column

_TEXT, _TIME = DataTypes.STRING(), DataTypes.TIMESTAMP_LTZ(3)


class DebeziumJsonFormat(JsonChangeFormat):
    """See the module."""

    name = "debezium-json"
    options = (
        Option("schema-include", "boolean", False, doc="Messages have a schema and a payload, as Kafka Connect's."),
        *json_options(),
    )
    metadata: ClassVar[Mapping[str, DataType]] = {
        "schema": _TEXT,
        "ingestion-timestamp": _TIME,
        "source.timestamp": _TIME,
        "source.database": _TEXT,
        "source.schema": _TEXT,
        "source.table": _TEXT,
        "source.properties": DataTypes.MAP(DataTypes.STRING(), DataTypes.STRING()),
    }

    def reading(self, options: Mapping[str, Any], of: str) -> JsonChanges:
        return _WithSchema() if options["schema-include"] else _Plain()

    def change_encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        if options["schema-include"]:
            raise ValidationError(
                f"{layout.of}: tables with 'debezium-json.schema-include' cannot be written: messages get no schema"
            )
        fields = (row_column("before", layout), row_column("after", layout), Column("op", _TEXT))
        return json_change_encoder(layout, fields, options, message)


class _Envelope(msgspec.Struct, gc=False):
    """A message."""

    op: str
    before: msgspec.Raw = msgspec.Raw()
    after: msgspec.Raw = msgspec.Raw()

    @property
    def payload(self) -> _Envelope:
        """Itself."""
        return self


class _SchemaEnvelope(msgspec.Struct, gc=False):
    """A message with its schema."""

    payload: _Envelope


def _millis(text: str | None) -> int | None:
    return None if text is None else micros(int(text))


def _source(name: str) -> Callable[[tuple[Any, ...]], Any]:
    return lambda fields: (fields[1] or {}).get(name)


_SOURCE = Column("source", DataTypes.MAP(DataTypes.STRING(), DataTypes.STRING()))
_WRITTEN = Column("ts_ms", DataTypes.BIGINT())


class _Plain(JsonChanges):
    """Messages without a schema."""

    tool = "Debezium"
    envelope: ClassVar[type[msgspec.Struct]] = _Envelope
    fields: ClassVar[tuple[Column, ...]] = (_WRITTEN, _SOURCE)
    metadata: ClassVar[Mapping[str, Callable[[tuple[Any, ...]], Any]]] = {
        "schema": lambda fields: None,
        "ingestion-timestamp": lambda fields: micros(fields[0]),
        "source.timestamp": lambda fields: _millis((fields[1] or {}).get("ts_ms")),
        "source.database": _source("db"),
        "source.schema": _source("schema"),
        "source.table": _source("table"),
        "source.properties": lambda fields: fields[1],
    }

    def changes(self, envelope: Any) -> Sequence[Change]:
        found: _Envelope = envelope.payload
        return [Change(kind, _before(found) if field == "before" else found.after) for kind, field in rows_of(found.op)]


def _of_payload(value: Callable[[tuple[Any, ...]], Any]) -> Callable[[tuple[Any, ...]], Any]:
    return lambda fields: value(fields[1] or (None, None))


class _WithSchema(_Plain):
    """Messages with a schema and a payload."""

    envelope: ClassVar[type[msgspec.Struct]] = _SchemaEnvelope
    fields: ClassVar[tuple[Column, ...]] = (
        Column("schema", _TEXT),
        Column("payload", DataTypes.ROW([DataTypes.FIELD(each.name, each.type) for each in (_WRITTEN, _SOURCE)])),
    )
    metadata: ClassVar[Mapping[str, Callable[[tuple[Any, ...]], Any]]] = {
        **{key: _of_payload(value) for key, value in _Plain.metadata.items()},
        "schema": lambda fields: fields[0],
    }


def _before(found: _Envelope) -> msgspec.Raw:
    if bytes(found.before) in (b"", b"null"):
        raise ValueError(
            f"the field 'before' of an {'update' if found.op == 'u' else 'event that deletes a row'} is null; of "
            "PostgreSQL, Debezium gives it if the table has REPLICA IDENTITY FULL"
        )
    return found.before
