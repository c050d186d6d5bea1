"""Arrow's data types for ours, and ours for Arrow's."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.types as is_

from datastream.errors import FormatError, ValidationError
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.arrow.leaves import leaf_of
from datastream.types.factories import Types
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.row_type import RowTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation


def to_arrow(kind: TypeInformation) -> pa.DataType:
    """The Arrow type whose values stand for those of a type.

    Raises:
        FormatError: there is none.
    """
    try:
        return _to_arrow(kind)
    except RecursionError:
        raise FormatError("the type is nested too deeply for Arrow") from None


def to_arrow_schema(row_type: TypeInformation) -> pa.Schema:
    """The Arrow schema of records: one column a field of a row or tuple; f0, f1, ... where there are no names.

    Raises:
        FormatError: the type is no row or tuple, or a field has no Arrow type.
    """
    return pa.schema(list(to_arrow(record_type(row_type))))


def record_type(kind: TypeInformation) -> RowTypeInfo | TupleTypeInfo:
    """The type itself, when its values can be records of columns."""
    if not isinstance(kind, (RowTypeInfo, TupleTypeInfo)):
        raise FormatError(f"expected a type of records, Types.ROW_NAMED, ROW or TUPLE, found {kind!r}")
    return kind


def names_of(kind: RowTypeInfo | TupleTypeInfo) -> list[str]:
    """The names of the columns of a type of records."""
    if isinstance(kind, RowTypeInfo):
        return kind.get_field_names()
    return [f"f{i}" for i in range(len(kind.field_types))]


def element_of(kind: TypeInformation) -> TypeInformation | None:
    """The type of the elements of a type of lists, or None."""
    if isinstance(kind, ListTypeInfo):
        return kind.elem_type
    if isinstance(kind, (PrimitiveArrayTypeInfo, BasicArrayTypeInfo, ObjectArrayTypeInfo)):
        return kind.element_type
    return None


def _to_arrow(kind: TypeInformation) -> pa.DataType:
    leaf = leaf_of(kind)
    if leaf is not None:
        return leaf.arrow
    if isinstance(kind, (RowTypeInfo, TupleTypeInfo)):
        fields = zip(names_of(kind), kind.field_types, strict=True)
        return pa.struct([pa.field(name, _to_arrow(field)) for name, field in fields])
    if isinstance(kind, MapTypeInfo):
        key = _to_arrow(kind.key_type)
        if is_.is_null(key):
            raise FormatError(f"{kind!r} has no Arrow type: None is no legal key")
        return pa.map_(key, _to_arrow(kind.value_type))
    element = element_of(kind)
    if element is None:
        raise FormatError(f"{kind!r} has no Arrow type; declare one of the types of docs/types.md")
    return pa.list_(_to_arrow(element))


def from_arrow(arrow: pa.DataType | pa.Schema) -> TypeInformation:
    """The type that holds the values of an Arrow type; of a schema or struct, a named row.

    Raises:
        FormatError: there is none, or two fields of a struct have one name.
    """
    try:
        return _named_row(arrow) if isinstance(arrow, pa.Schema) else _from_arrow(arrow)
    except RecursionError:
        raise FormatError("the Arrow type is nested too deeply") from None


_SIMPLE = {
    pa.null(): Types.VOID(),
    pa.bool_(): Types.BOOLEAN(),
    pa.int8(): Types.BYTE(),
    pa.uint8(): Types.SHORT(),
    pa.int16(): Types.SHORT(),
    pa.uint16(): Types.INT(),
    pa.int32(): Types.INT(),
    pa.uint32(): Types.LONG(),
    pa.int64(): Types.LONG(),
    pa.uint64(): Types.BIG_INT(),
    pa.float16(): Types.FLOAT(),
    pa.float32(): Types.FLOAT(),
    pa.float64(): Types.DOUBLE(),
    pa.string(): Types.STRING(),
    pa.large_string(): Types.STRING(),
    pa.string_view(): Types.STRING(),
    pa.binary(): Types.PRIMITIVE_ARRAY(Types.BYTE()),
    pa.large_binary(): Types.PRIMITIVE_ARRAY(Types.BYTE()),
    pa.binary_view(): Types.PRIMITIVE_ARRAY(Types.BYTE()),
    pa.date32(): Types.SQL_DATE(),
    pa.date64(): Types.SQL_DATE(),
    # What BIG_INT is written as. Any other decimal is a number with a point.
    pa.decimal128(38, 0): Types.BIG_INT(),
}


def _from_arrow(arrow: pa.DataType) -> TypeInformation:
    simple = _SIMPLE.get(arrow)
    if simple is not None:
        return simple
    if is_.is_timestamp(arrow):
        return Types.SQL_TIMESTAMP() if arrow.tz is None else Types.INSTANT()
    if is_.is_time(arrow):
        return Types.SQL_TIME()
    if is_.is_decimal(arrow):
        return Types.BIG_DEC()
    if is_.is_fixed_size_binary(arrow):
        return Types.PRIMITIVE_ARRAY(Types.BYTE())
    if is_.is_struct(arrow):
        return _named_row(arrow)
    if is_.is_map(arrow):
        return Types.MAP(_from_arrow(arrow.key_type), _from_arrow(arrow.item_type))
    if is_list(arrow):
        return Types.LIST(_from_arrow(arrow.value_type))
    if is_.is_dictionary(arrow) or is_.is_run_end_encoded(arrow):
        return _from_arrow(arrow.value_type)
    if isinstance(arrow, pa.BaseExtensionType):
        return _from_arrow(arrow.storage_type)
    raise FormatError(f"the Arrow type {arrow} has no counterpart here; leave the column out or cast it before")


def is_list(arrow: pa.DataType) -> bool:
    """Whether an Arrow type is one of lists, of any layout."""
    return bool(
        is_.is_list(arrow)
        or is_.is_large_list(arrow)
        or is_.is_fixed_size_list(arrow)
        or is_.is_list_view(arrow)
        or is_.is_large_list_view(arrow)
    )


def _named_row(fields: Iterable[pa.Field]) -> RowTypeInfo:
    found = list(fields)
    try:
        return Types.ROW_NAMED([field.name for field in found], [_from_arrow(field.type) for field in found])
    except ValidationError as error:
        raise FormatError(str(error)) from None
