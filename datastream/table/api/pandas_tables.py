"""DataFrames of pandas as tables, and results as DataFrames."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from datastream.errors import TypeMismatch, ValidationError, cut
from datastream.table.api.given_rows import rows_relation
from datastream.table.functions.checks import WIDE
from datastream.table.plan.relations import Values
from datastream.table.results.table_result import inside_rows
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
)
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_inference import schema_of
from datastream.table.types.type_text import summary
from datastream.table.types.values import to_python, unit_of

if TYPE_CHECKING:
    import numpy
    import pandas

    from datastream.table.results.table_result import TableResult

_DTYPES: dict[str, DataType] = {
    "bool": DataTypes.BOOLEAN(),
    "int8": DataTypes.TINYINT(),
    "int16": DataTypes.SMALLINT(),
    "int32": DataTypes.INT(),
    "int64": DataTypes.BIGINT(),
    "uint8": DataTypes.SMALLINT(),
    "uint16": DataTypes.INT(),
    "uint32": DataTypes.BIGINT(),
    "float32": DataTypes.FLOAT(),
    "float64": DataTypes.DOUBLE(),
}
#: Digits of a second, by the unit of a dtype.
_PRECISIONS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_NUMPY: dict[type[DataType], str] = {
    TinyIntType: "int8",
    SmallIntType: "int16",
    IntType: "int32",
    BigIntType: "int64",
    FloatType: "float32",
    DoubleType: "float64",
    BooleanType: "bool",
}
_WHOLE = (TinyIntType, SmallIntType, IntType, BigIntType)


def frame_relation(frame: pandas.DataFrame, schema: Any, zone: dt.tzinfo) -> Values:
    """A table of a DataFrame's rows; what is missing is NULL.

    Args:
        frame: The DataFrame.
        schema: A ROW type, or names, or types of the columns. Default: those of the DataFrame.
        zone: Of datetimes without a zone in columns of TIMESTAMP_LTZ.

    Raises:
        ValidationError: it is no DataFrame, or the schema has another number of columns.
        TypeMismatch: a value does not fit its column's type, or would be cut.
    """
    import pandas

    if not isinstance(frame, pandas.DataFrame):
        raise ValidationError(f"from_pandas needs a DataFrame, got {cut(frame)}")
    columns = [_values(frame.iloc[:, place]) for place in range(frame.shape[1])]
    names = [str(name) for name in frame.columns]
    if isinstance(schema, RowType):
        names, kinds = schema.names, schema.field_types()
    elif schema and all(isinstance(each, DataType) for each in schema):
        kinds = list(schema)
    elif schema is None or all(isinstance(each, str) for each in schema):
        names = names if schema is None else list(schema)
        kinds = [_kind(frame.iloc[:, place], values) for place, values in enumerate(columns)]
    else:
        raise ValidationError(f"from_pandas: the schema is a ROW type, or names, or types, got {cut(schema)}")
    if not len(names) == len(kinds) == len(columns):
        raise ValidationError(f"from_pandas: the schema has not the DataFrame's {len(columns)} columns")
    kind = RowType([RowField(name, each) for name, each in zip(names, kinds, strict=True)])
    columns = [_exact(each, field.data_type, field.name) for each, field in zip(columns, kind.fields, strict=True)]
    return rows_relation(zip(*columns, strict=True), kind, zone)


def frame_of(result: TableResult, zone: dt.tzinfo) -> pandas.DataFrame:
    """The rows of a result as a DataFrame; of changes, what is left of them.

    Args:
        result: A query's.
        zone: Of columns of TIMESTAMP_LTZ.
    """
    import pandas

    schema = result.get_resolved_schema()
    rows, updates = inside_rows(result)
    if updates:
        rows = _left(rows)
    names, kinds = schema.get_column_names(), schema.get_column_data_types()
    cells = [list(each) for each in zip(*rows, strict=True)] if rows else [[] for _ in names]
    series = [_series(values, kind, zone) for values, kind in zip(cells, kinds, strict=True)]
    frame = pandas.concat(series, axis=1) if series else pandas.DataFrame()
    frame.columns = pandas.Index(names)
    return frame


def _left(changes: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows that changes leave, in the order of their last change."""
    kept: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
    for place, (kind, *values) in enumerate(changes):
        row, key = tuple(values), repr(values)
        if kind in (0, 2):
            kept.setdefault(key, []).append((place, row))
        elif kept.get(key):
            kept[key].pop()
    return [row for _, row in sorted(each for rows in kept.values() for each in rows)]


def _series(values: list[Any], kind: DataType, zone: dt.tzinfo) -> pandas.Series:
    import pandas

    if isinstance(kind, LocalZonedTimestampType):
        return _times(values, kind.precision).dt.tz_localize("UTC").dt.tz_convert(zone)
    if isinstance(kind, TimestampType):
        return _times(values, kind.precision)
    name = _NUMPY.get(type(kind), "object")
    if None in values and isinstance(kind, _WHOLE):
        name = "float64"
    elif None in values and isinstance(kind, BooleanType):
        name = "object"
    convert = _cell(kind, zone)
    return pandas.Series([None if value is None else convert(value) for value in values], dtype=name)


def _cell(kind: DataType, zone: dt.tzinfo) -> Callable[[Any], Any]:
    """A function: what is inside -> a value of a DataFrame: an array of NumPy, a dict for ROW, pairs for MAP."""
    if isinstance(kind, ArrayType):
        return lambda values: _series(values, kind.element_type, zone).to_numpy()
    if isinstance(kind, RowType):
        cells = [(field.name, _cell(field.data_type, zone)) for field in kind.fields]
        return lambda row: {
            name: None if value is None else cell(value) for (name, cell), value in zip(cells, row, strict=True)
        }
    convert = to_python(kind)
    return (lambda pairs: list(convert(pairs).items())) if isinstance(kind, MapType) else convert


def _times(values: list[int | None], precision: int) -> pandas.Series:
    """Times in µs since 1970, in the unit that has the digits of their type; what nanoseconds cannot hold, in µs."""
    import numpy
    import pandas

    series = pandas.Series(numpy.array(values, dtype="datetime64[us]"))
    unit = next(unit for unit, digits in _PRECISIONS.items() if precision <= digits)
    with suppress(pandas.errors.OutOfBoundsDatetime):
        series = series.astype(f"datetime64[{unit}]")
    return series


def _values(column: pandas.Series) -> list[Any]:
    import pandas

    if str(column.dtype).startswith("datetime64"):
        return [None if pandas.isna(each) else each.to_pydatetime() for each in column]
    values = [None if each is pandas.NaT or (_scalar(each) and pandas.isna(each)) else each for each in column.tolist()]
    return list(map(_without_arrays, values)) if column.dtype == object else values


def _without_arrays(value: Any) -> Any:
    """A value with lists in place of NumPy's arrays."""
    import numpy

    if isinstance(value, numpy.ndarray):
        return _values(_elements(value))
    return {key: _without_arrays(each) for key, each in value.items()} if isinstance(value, dict) else value


def _elements(array: numpy.ndarray) -> pandas.Series:
    import pandas

    return pandas.Series(array if array.ndim == 1 else list(array))


def _scalar(value: Any) -> bool:
    return not hasattr(value, "__len__")


def _kind(column: pandas.Series, values: list[Any]) -> DataType:
    name = str(column.dtype)
    if name in _DTYPES:
        return _DTYPES[name]
    if name.startswith("datetime64"):
        return DataTypes.TIMESTAMP(_PRECISIONS[re.findall(r"\w+", name)[1]])
    return _kind_of_arrays(column) or _inferred(values)


def _kind_of_arrays(column: pandas.Series) -> DataType | None:
    """The type of a column of NumPy's arrays, by their dtypes; None: it is no such column, or they differ."""
    import numpy

    given = [value for value in column if value is not None]
    arrays = [_elements(value) for value in given if isinstance(value, numpy.ndarray)]
    kinds = {_kind(each, _values(each)) for each in arrays if len(each)}
    return DataTypes.ARRAY(kinds.pop()) if len(kinds) == 1 and len(arrays) == len(given) else None


def _inferred(values: list[Any]) -> DataType:
    given = [value for value in values if value is not None]
    if not given:
        return DataTypes.NULL()
    if all(isinstance(value, dict) for value in given):
        names = dict.fromkeys(name for value in given for name in value)
        return RowType([RowField(str(name), _inferred([value.get(name) for value in given])) for name in names])
    found = schema_of([(value,) for value in given]).field_types()[0]
    if isinstance(found, TimeType):
        return DataTypes.TIME(6)
    return _decimal(given) if isinstance(found, DecimalType) else found


def _exact(values: list[Any], kind: DataType, name: str) -> list[Any]:
    """The values of a column, in which nothing would be cut.

    Raises:
        TypeMismatch: a number or time has more digits than the type.
    """
    if isinstance(kind, _WHOLE):
        return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]
    for row, value in enumerate(values):
        if isinstance(kind, DecimalType) and isinstance(value, Decimal) and value.is_finite():
            fits = value == value.quantize(Decimal(1).scaleb(-kind.scale), context=WIDE)
        elif isinstance(kind, (TimestampType, LocalZonedTimestampType)) and isinstance(value, dt.datetime):
            fits = value.microsecond % unit_of(kind.precision) == 0
        else:
            continue
        if not fits:
            raise TypeMismatch(name, summary(kind), value, f"it has more digits; it is in row {row} of the DataFrame")
    return values


def _decimal(values: list[Any]) -> DataType:
    """The narrowest DECIMAL for all values."""
    forms = [value.as_tuple() for value in values]
    scale = max(max(-form.exponent, 0) for form in forms)
    whole = max(max(len(form.digits) + form.exponent, 0) for form in forms)
    return DataTypes.DECIMAL(min(max(whole + scale, 1), 38), scale)
