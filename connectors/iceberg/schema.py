"""Schemas of tables, and what this connector cannot write of a table without damage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.types import RowTypeInfo, TypeInformation

from .location import IcebergLocation


def arrow_schema(row_type: RowTypeInfo, required: Sequence[str] = ()) -> Any:
    """The Arrow schema of a table of rows.

    Args:
        row_type: The rows.
        required: The columns that are never None.

    Raises:
        ValidationError: Iceberg has no such type.
    """
    import pyarrow as pa

    try:
        found, _ = stored_rows(row_type)
    except FormatError as error:
        raise ValidationError(f"Iceberg has no such column: {error}") from None
    return pa.schema([field.with_nullable(field.name not in required) for field in found])


def stored_rows(row_type: RowTypeInfo, tuples: bool = False) -> tuple[Any, Callable[[list[Any]], Any]]:
    """The Arrow schema of rows as Iceberg has them, and what makes batches of rows, or of tuples of their values.

    Raises:
        FormatError: Arrow has no such type.
    """
    from datastream.formats.columnar.storing import stored_as

    return stored_as(row_type, _as_iceberg, tuples)


def _as_iceberg(arrow: Any, kind: TypeInformation) -> Any:
    """Iceberg's times have microseconds, and a value with more digits is refused; its smallest number is an int."""
    import pyarrow as pa

    if pa.types.is_timestamp(arrow):
        return pa.timestamp("us", arrow.tz)
    if pa.types.is_time(arrow):
        return pa.time64("us")
    return pa.int32() if pa.types.is_integer(arrow) and arrow.bit_width < 32 else arrow


def iceberg_schema(arrow: Any, key: Sequence[str] = ()) -> Any:
    """The table's schema of an Arrow schema.

    Args:
        arrow: The schema.
        key: The identifier fields.

    Raises:
        ValidationError: Iceberg has no such type, or has no such identifier field.
    """
    from pyiceberg.schema import Schema

    numbers = count(1)
    ids = {field.name: next(numbers) for field in arrow}
    fields = [_field(ids[field.name], field, numbers, field.name) for field in arrow]
    for name in key:
        if arrow.field(name).nullable:
            raise ValidationError(f"column {cut(name)} is a key, so its values must be NOT NULL")
    return Schema(*fields, identifier_field_ids=[ids[name] for name in key])


def _field(number: int, field: Any, numbers: Any, path: str) -> Any:
    from pyiceberg.types import NestedField

    kind = iceberg_type(field.type, numbers, path)
    return NestedField(number, field.name, kind, required=not field.nullable)


def iceberg_type(arrow: Any, numbers: Any, path: str) -> Any:
    """The type of Iceberg of an Arrow type.

    Args:
        arrow: The type.
        numbers: Of the fields inside of it: an iterator.
        path: Names the column in errors.

    Raises:
        ValidationError: There is none.
    """
    import pyarrow.types as is_
    from pyiceberg import types

    if is_.is_struct(arrow):
        return types.StructType(*(_field(next(numbers), each, numbers, f"{path}.{each.name}") for each in arrow))
    if is_.is_map(arrow):
        key, value = next(numbers), next(numbers)
        return types.MapType(
            key, iceberg_type(arrow.key_type, numbers, path), value, iceberg_type(arrow.item_type, numbers, path), False
        )
    if is_.is_list(arrow) or is_.is_large_list(arrow):
        return types.ListType(next(numbers), iceberg_type(arrow.value_type, numbers, path), False)
    if is_.is_decimal(arrow):
        return types.DecimalType(arrow.precision, arrow.scale)
    if is_.is_timestamp(arrow):
        return types.TimestampType() if arrow.tz is None else types.TimestamptzType()
    simple: list[tuple[Callable[[Any], bool], Any]] = [
        (is_.is_boolean, types.BooleanType),
        (is_.is_int32, types.IntegerType),
        (is_.is_int64, types.LongType),
        (is_.is_float32, types.FloatType),
        (is_.is_float64, types.DoubleType),
        (is_.is_string, types.StringType),
        (is_.is_large_string, types.StringType),
        (is_.is_binary, types.BinaryType),
        (is_.is_large_binary, types.BinaryType),
        (is_.is_date, types.DateType),
        (is_.is_time, types.TimeType),
    ]
    for suits, kind in simple:
        if suits(arrow):
            return kind()
    raise ValidationError(f"column {path}: Iceberg has no type for {arrow}; declare a STRING or a BIGINT")


def fit_of(found: Any, wanted: Any, path: str) -> Callable[[Any], Any]:
    """What makes a column of an Arrow type of one of the table.

    Args:
        found: The type of the table's column.
        wanted: The type. A small whole number may be of an int, which is all that tables have; values are checked.
        path: Names the column in errors.

    Raises:
        FormatError: It could lose something.
    """
    import pyarrow as pa

    from datastream.formats.columnar.columns import Times, fitting

    if not (pa.types.is_int32(found) and pa.types.is_integer(wanted) and wanted.bit_width < 32):
        return fitting(found, wanted, Times(), False, path)

    def fit(column: Any) -> Any:
        try:
            return column.cast(wanted)
        except pa.ArrowInvalid as error:
            raise FormatError(f"column {path}: a value of the file does not fit {wanted}: {error}") from error

    return fit


def check_columns(location: IcebergLocation, table: Any, wanted: Any, merge: bool) -> None:
    """See that rows of a schema can be added to a table.

    Args:
        location: Names the table in errors.
        table: The table.
        wanted: The Iceberg schema of the rows.
        merge: Whether columns that the table does not have are added to it.

    Raises:
        ValidationError: Columns are missing, too many, or of another type.
    """
    name = f"the table {location.name}"
    there = {field.name: field for field in table.schema().fields}
    new = {field.name: field for field in wanted.fields}
    extra = [column for column in new if column not in there]
    if extra and not merge:
        raise ValidationError(
            f"{name} has no column {cut(extra[0])}; it has {cut(list(there))}: leave the column out, or let the sink "
            "add it by its setting for merging schemas"
        )
    for column, field in there.items():
        if column not in new:
            if field.required:
                raise ValidationError(f"{name} has a column {cut(column)} NOT NULL, which the rows do not have")
            if not merge:
                raise ValidationError(
                    f"{name} has a column {cut(column)}, which the rows do not have: declare it, or let the sink write "
                    "NULL there by its setting for merging schemas"
                )
        elif _shape(new[column].field_type) != _shape(field.field_type):
            raise ValidationError(
                f"{name}, column {cut(column)}: the table has {_text(field.field_type)}, and the rows have "
                f"{_text(new[column].field_type)}: declare the column as the table has it"
            )


def missing_columns(table: Any, wanted: Any) -> list[Any]:
    """The fields of a schema that a table does not have."""
    there = [field.name for field in table.schema().fields]
    return [field for field in wanted.fields if field.name not in there]


def required_columns(table: Any) -> list[str]:
    """The columns that are never NULL in a table."""
    return [field.name for field in table.schema().fields if field.required]


def _shape(kind: Any) -> Any:
    """A type without the numbers of its fields, and what says whether they may be NULL."""
    from pyiceberg import types

    match kind:
        case types.StructType():
            return ["struct", [[field.name, _shape(field.field_type)] for field in kind.fields]]
        case types.ListType():
            return ["list", _shape(kind.element_type)]
        case types.MapType():
            return ["map", _shape(kind.key_type), _shape(kind.value_type)]
    return str(kind)


def _text(kind: Any) -> str:
    return cut(str(_shape(kind)) if isinstance(_shape(kind), list) else str(kind))
