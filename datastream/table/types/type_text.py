"""Data types as text, in the two forms of Flink: for people and for SQL."""

from __future__ import annotations

from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    AtomicType,
    DataType,
    ListViewType,
    LocalZonedTimestampType,
    MapType,
    MapViewType,
    MultisetType,
    VarBinaryType,
    VarCharType,
    ZonedTimestampType,
    arguments_of,
    is_nullable,
)
from datastream.table.types.row_type import RowType

_MOST = 2**31 - 1


def summary(kind: DataType) -> str:
    """The form for people: ``STRING``, ``TIMESTAMP_LTZ(3)``, ``ROW<`a` INT NOT NULL>``."""
    return _text(kind, True)


def sql(kind: DataType) -> str:
    """The form for SQL, which `sql.parser.parse_data_type` reads: ``VARCHAR(2147483647)``."""
    return _text(kind, False)


def quoted(name: str) -> str:
    """A name in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def _text(kind: DataType, short: bool) -> str:
    body = _body(kind, short)
    return body if is_nullable(kind) or isinstance(kind, (ListViewType, MapViewType)) else f"{body} NOT NULL"


def _body(kind: DataType, short: bool) -> str:
    match kind:
        case VarCharType(length=length):
            return "STRING" if short and length == _MOST else f"VARCHAR({length})"
        case VarBinaryType(length=length):
            return "BYTES" if short and length == _MOST else f"VARBINARY({length})"
        case LocalZonedTimestampType(precision=precision):
            return f"TIMESTAMP_LTZ({precision})" if short else f"TIMESTAMP({precision}) WITH LOCAL TIME ZONE"
        case ArrayType(element_type=element):
            return f"ARRAY<{_text(element, short)}>"
        case MultisetType(element_type=element):
            return f"MULTISET<{_text(element, short)}>"
        case MapType(key_type=key, value_type=value):
            return f"MAP<{_text(key, short)}, {_text(value, short)}>"
        case RowType(fields=fields):
            return f"ROW<{', '.join(f'{quoted(field.name)} {_text(field.data_type, short)}' for field in fields)}>"
        case YearMonthIntervalType():
            return _interval(kind.resolution.name, kind.precision, 0)
        case DayTimeIntervalType():
            return _interval(kind.resolution.name, kind.day_precision, kind.fractional_precision)
        case ZonedTimestampType(precision=precision):
            return f"TIMESTAMP({precision}) WITH TIME ZONE"
        case AtomicType() if arguments := arguments_of(kind):
            return f"{kind.type_name()}({', '.join(map(str, arguments))})"
    return kind.type_name()


def _interval(name: str, leading: int, fraction: int) -> str:
    digits = {"DAY": leading, "YEAR": leading, "SECOND": fraction}
    units = (f"{unit}({digits[unit]})" if unit in digits else unit for unit in name.split("_TO_"))
    return "INTERVAL " + " TO ".join(units)
