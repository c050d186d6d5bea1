"""Types of the DataStream API for the form that values have inside a plan: how blocks of rows are written."""

from __future__ import annotations

from collections.abc import Iterable

from datastream.table.types.logical_types import (
    ArrayType,
    DataType,
    MapType,
    MultisetType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of
from datastream.types import TypeInformation, Types
from datastream.types.table_row import TableArray, TableRow, TableValue


def inside_type(kind: DataType) -> TypeInformation:
    """The type of values inside."""
    match kind:
        case ArrayType(element_type=element):
            return TableArray(inside_type(element))
        case MapType(key_type=key, value_type=value):
            return Types.MAP(inside_type(key), inside_type(value))
        case MultisetType(element_type=element):
            return Types.MAP(inside_type(element), Types.LONG())
        case RowType():
            return TableRow(tuple(inside_type(field.data_type) for field in kind.fields))
    return traits_of(kind).inside


def inside_row(kinds: Iterable[DataType], updates: bool = False) -> TableRow:
    """The type of rows, with their kind in front where the stream has updates."""
    fields = tuple(inside_type(kind) for kind in kinds)
    return TableRow((Types.LONG(), *fields) if updates else fields)


def inside_key(kinds: list[DataType]) -> TypeInformation:
    """The type of keys: a value of a single column, or a tuple."""
    return TableValue(inside_type(kinds[0])) if len(kinds) == 1 else inside_row(kinds)
