"""The format ``maxwell-json``: changes as Maxwell writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from datastream.formats import SerializationSchema
from datastream.table.plan.relations import Column
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType

from .changes import AFTER, DELETE, INSERT
from .format import Layout
from .json_changes import Change, JsonChangeFormat, JsonChanges, json_change_encoder, json_options, micros
from .row_columns import row_column

_TEXT = DataTypes.STRING()


class MaxwellJsonFormat(JsonChangeFormat):
    """See the module."""

    name = "maxwell-json"
    options = json_options()
    metadata: ClassVar[Mapping[str, DataType]] = {
        "database": _TEXT,
        "table": _TEXT,
        "primary-key-columns": DataTypes.ARRAY(DataTypes.STRING()),
        "ingestion-timestamp": DataTypes.TIMESTAMP_LTZ(3),
    }

    def reading(self, options: Mapping[str, Any], of: str) -> JsonChanges:
        return _Maxwell()

    def change_encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        return json_change_encoder(layout, (row_column("data", layout), Column("type", _TEXT)), options, _message)


def _message(comes: bool, row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row, "insert" if comes else "delete"


class _Envelope(msgspec.Struct, gc=False):
    """A message."""

    type: str
    data: msgspec.Raw = msgspec.Raw()
    old: msgspec.Raw = msgspec.Raw()


class _Maxwell(JsonChanges):
    """Reads messages."""

    tool = "Maxwell"
    envelope: ClassVar[type[msgspec.Struct]] = _Envelope
    fields: ClassVar[tuple[Column, ...]] = (
        Column("database", _TEXT),
        Column("table", _TEXT),
        Column("primary_key_columns", DataTypes.ARRAY(DataTypes.STRING())),
        Column("ts", DataTypes.BIGINT()),
    )
    metadata: ClassVar[Mapping[str, Callable[[tuple[Any, ...]], Any]]] = {
        "database": lambda fields: fields[0],
        "table": lambda fields: fields[1],
        "primary-key-columns": lambda fields: fields[2],
        "ingestion-timestamp": lambda fields: micros(fields[3]),
    }

    def changes(self, envelope: Any) -> Sequence[Change]:
        found: _Envelope = envelope
        match found.type:
            case "insert":
                return (Change(INSERT, found.data),)
            case "delete":
                return (Change(DELETE, found.data),)
            case "update":
                if not bytes(found.old):
                    raise ValueError("the field 'old' of an update is missing")
                return (Change(AFTER, found.data, found.old),)
        raise ValueError(f"the field 'type' must be insert, update or delete, not {found.type!r}")
