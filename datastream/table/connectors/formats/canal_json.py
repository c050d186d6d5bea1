"""The format ``canal-json``: changes as Canal writes them, several rows in a message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.table.connectors.options import Option
from datastream.table.plan.relations import Column
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType

from .changes import AFTER, DELETE, INSERT
from .format import Layout
from .json_changes import Change, JsonChangeFormat, JsonChanges, json_change_encoder, json_options, micros
from .row_columns import rows_column

_TEXT, _TIME = DataTypes.STRING(), DataTypes.TIMESTAMP_LTZ(3)
_DATABASE, _TABLE = "database.include", "table.include"


class CanalJsonFormat(JsonChangeFormat):
    """See the module."""

    name = "canal-json"
    options = (
        *json_options(),
        Option(_DATABASE, doc="Regular expression: only changes of databases whose whole name it matches."),
        Option(_TABLE, doc="The same of tables."),
    )
    metadata: ClassVar[Mapping[str, DataType]] = {
        "database": _TEXT,
        "table": _TEXT,
        "sql-type": DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
        "pk-names": DataTypes.ARRAY(DataTypes.STRING()),
        "ingestion-timestamp": _TIME,
        "event-timestamp": _TIME,
    }

    def reading(self, options: Mapping[str, Any], of: str) -> JsonChanges:
        return _Canal(_pattern(options, _DATABASE, of), _pattern(options, _TABLE, of))

    def change_encoder(self, layout: Layout, options: Mapping[str, Any]) -> SerializationSchema:
        return json_change_encoder(layout, (rows_column("data", layout), Column("type", _TEXT)), options, _message)


def _message(comes: bool, row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (row,), "INSERT" if comes else "DELETE"


def _pattern(options: Mapping[str, Any], name: str, of: str) -> re.Pattern[str] | None:
    text = options[name]
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise ValidationError(f"{of}: option '{name}': {cut(text)} is no regular expression: {error}") from None


class _Envelope(msgspec.Struct, gc=False):
    """A message."""

    type: str
    data: list[msgspec.Raw] | None = None
    old: list[msgspec.Raw] | None = None
    database: Any = None
    table: Any = None


class _Canal(JsonChanges):
    """Reads messages.

    Args:
        database: Of which databases; None: all.
        table: Of which tables; None: all.
    """

    tool = "Canal"
    envelope: ClassVar[type[msgspec.Struct]] = _Envelope
    fields: ClassVar[tuple[Column, ...]] = (
        Column("database", _TEXT),
        Column("table", _TEXT),
        Column("sqlType", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
        Column("pkNames", DataTypes.ARRAY(DataTypes.STRING())),
        Column("ts", DataTypes.BIGINT()),
        Column("es", DataTypes.BIGINT()),
    )
    metadata: ClassVar[Mapping[str, Callable[[tuple[Any, ...]], Any]]] = {
        "database": lambda fields: fields[0],
        "table": lambda fields: fields[1],
        "sql-type": lambda fields: fields[2],
        "pk-names": lambda fields: fields[3],
        "ingestion-timestamp": lambda fields: micros(fields[4]),
        "event-timestamp": lambda fields: micros(fields[5]),
    }

    def __init__(self, database: re.Pattern[str] | None, table: re.Pattern[str] | None) -> None:
        self._database, self._table = database, table

    def changes(self, envelope: Any) -> Sequence[Change]:
        found: _Envelope = envelope
        for pattern, name in ((self._database, found.database), (self._table, found.table)):
            if pattern is not None and (name is None or pattern.fullmatch(str(name)) is None):
                return ()
        match found.type:
            case "CREATE":  # of a table
                return ()
            case "INSERT":
                return [Change(INSERT, row) for row in _rows(found.data, "data")]
            case "DELETE":
                return [Change(DELETE, row) for row in _rows(found.data, "data")]
            case "UPDATE":
                rows, old = _rows(found.data, "data"), _rows(found.old, "old")
                if len(rows) != len(old):
                    raise ValueError(f"the field 'data' has {len(rows)} rows, and 'old' {len(old)}")
                return [Change(AFTER, row, before) for row, before in zip(rows, old, strict=True)]
        raise ValueError(f"the field 'type' must be INSERT, UPDATE, DELETE or CREATE, not {found.type!r}")


def _rows(rows: list[msgspec.Raw] | None, name: str) -> list[msgspec.Raw]:
    if rows is None:
        raise ValueError(f"the field '{name}' is null")
    return rows
