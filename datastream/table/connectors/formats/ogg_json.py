"""The format ``ogg-json``: changes as Oracle GoldenGate writes them, with the row before and the row after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from datastream.formats import SerializationSchema
from datastream.table.plan.relations import Column
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType
from datastream.table.types.type_traits import traits_of

from .changes import AFTER, BEFORE, DELETE, INSERT
from .format import Layout
from .json_changes import Change, JsonChangeFormat, JsonChanges, json_change_encoder, json_options
from .row_columns import row_column

_TEXT, _TIME = DataTypes.STRING(), DataTypes.TIMESTAMP_LTZ(6)


class OggJsonFormat(JsonChangeFormat):
    """See the module."""

    name = "ogg-json"
    options = json_options()
    metadata: ClassVar[Mapping[str, DataType]] = {
        "table": _TEXT,
        "primary-keys": DataTypes.ARRAY(DataTypes.STRING()),
        "ingestion-timestamp": _TIME,
        "event-timestamp": _TIME,
    }

    def reading(self, options: Mapping[str, Any], of: str) -> JsonChanges:
        return _Ogg()

    def change_encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        fields = (row_column("before", layout), row_column("after", layout), Column("op_type", _TEXT))
        return json_change_encoder(layout, fields, options, _message)


def _message(comes: bool, row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (None, row, "I") if comes else (row, None, "D")


class _Envelope(msgspec.Struct, gc=False):
    """A message."""

    op_type: str
    before: msgspec.Raw = msgspec.Raw()
    after: msgspec.Raw = msgspec.Raw()


_read_time = traits_of(DataTypes.TIMESTAMP(6)).json_reader("iso-8601")


def _time(text: str | None) -> Any:
    """µs since 1970 of a text in UTC, with a blank or a T between date and time."""
    if text is None:
        return None
    assert _read_time is not None
    return _read_time(text.replace(" ", "T", 1))


class _Ogg(JsonChanges):
    """Reads messages."""

    tool = "GoldenGate"
    envelope: ClassVar[type[msgspec.Struct]] = _Envelope
    fields: ClassVar[tuple[Column, ...]] = (
        Column("table", _TEXT),
        Column("primary_keys", DataTypes.ARRAY(DataTypes.STRING())),
        Column("current_ts", _TEXT),
        Column("op_ts", _TEXT),
    )
    metadata: ClassVar[Mapping[str, Callable[[tuple[Any, ...]], Any]]] = {
        "table": lambda fields: fields[0],
        "primary-keys": lambda fields: fields[1],
        "ingestion-timestamp": lambda fields: _time(fields[2]),
        "event-timestamp": lambda fields: _time(fields[3]),
    }

    def changes(self, envelope: Any) -> Sequence[Change]:
        found: _Envelope = envelope
        match found.op_type:
            case "I":
                return (Change(INSERT, found.after),)
            case "D":
                return (Change(DELETE, found.before),)
            case "U":
                return (Change(BEFORE, found.before), Change(AFTER, found.after))
        raise ValueError(f"the field 'op_type' must be I, U or D, not {found.op_type!r}")
