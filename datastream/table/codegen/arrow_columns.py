"""Columns of values inside as Series of pandas, and back: through Arrow, so that NULLs are those of Flink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from datastream.errors import TypeMismatch, UnsupportedOperation, ValidationError
from datastream.table.types.logical_types import (
    ArrayType,
    DataType,
    LocalZonedTimestampType,
    MapType,
    TimestampType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of
from datastream.table.types.values import to_inside

if TYPE_CHECKING:
    import pandas
    import pyarrow

_NESTED = (ArrayType, MapType, RowType)


def arrow_type(kind: DataType) -> pyarrow.DataType:
    """The Arrow type of a column.

    Raises:
        UnsupportedOperation: There is none.
    """
    import pyarrow as pa

    match kind:
        case ArrayType(element_type=element):
            return pa.list_(arrow_type(element))
        case MapType(key_type=key, value_type=value):
            return pa.map_(arrow_type(key), arrow_type(value))
        case RowType():
            return pa.struct([pa.field(field.name, arrow_type(field.data_type)) for field in kind.fields])
    found = traits_of(kind).arrow()
    if found is None:
        raise UnsupportedOperation(f"columns of {kind} cannot be given to functions of pandas")
    return found


def _shown_type(kind: DataType) -> pyarrow.DataType:
    """The same with times of the unit that fits the digits of their type, as functions get them."""
    import pyarrow as pa

    match kind:
        case ArrayType(element_type=element):
            return pa.list_(_shown_type(element))
        case TimestampType(precision=precision) | LocalZonedTimestampType(precision=precision):
            return pa.timestamp("s" if precision == 0 else "ms" if precision <= 3 else "us")
    return arrow_type(kind)


@dataclass(frozen=True)
class ArrowColumn:
    """A column of a function of pandas.

    Attributes:
        kind: Of its values.
        zone: The session's time zone: TIMESTAMP_LTZ is a datetime with it.
        function: Whose column it is, for errors.
    """

    kind: DataType
    zone: str
    function: str

    def series(self, values: Sequence[Any]) -> pandas.Series | pandas.DataFrame:
        """Values inside as a Series; rows as a DataFrame."""
        import pyarrow as pa

        if isinstance(self.kind, MapType):
            values = [None if value is None else list(value.items()) for value in values]
        return self._of_arrow(pa.array(values, arrow_type(self.kind)), self.kind)

    def values(self, result: Any) -> list[Any]:
        """A Series, or of rows a DataFrame, as values inside.

        Raises:
            ValidationError: It is neither.
            TypeMismatch: A value does not fit the type.
        """
        import pandas

        if isinstance(self.kind, RowType) and isinstance(result, pandas.DataFrame):
            fields = self.kind.fields
            if len(fields) != len(result.columns):
                raise ValidationError(f"{self.function} has given {len(result.columns)} columns for {self.kind}")
            columns = [
                ArrowColumn(field.data_type.nullable(), self.zone, self.function).values(result.iloc[:, i])
                for i, field in enumerate(fields)
            ]
            return list(zip(*columns, strict=True))
        if not isinstance(result, pandas.Series):
            wanted = "a pandas.DataFrame" if isinstance(self.kind, RowType) else "a pandas.Series"
            raise ValidationError(f"{self.function} must give {wanted}, but gave a {type(result).__name__}")
        return self._of_series(result)

    def _of_arrow(self, column: Any, kind: DataType) -> pandas.Series | pandas.DataFrame:
        import pandas

        if isinstance(kind, RowType):
            parts = zip(column.flatten(), kind.fields, strict=True)
            return pandas.concat(
                [self._of_arrow(part, field.data_type).rename(field.name) for part, field in parts], axis=1
            )
        series: pandas.Series = column.cast(_shown_type(kind)).to_pandas(date_as_object=True)
        if isinstance(kind, LocalZonedTimestampType):
            series = series.dt.tz_localize("UTC").dt.tz_convert(self.zone)
        return series

    def _of_series(self, series: pandas.Series) -> list[Any]:
        import pyarrow as pa

        kind = self.kind
        if isinstance(kind, _NESTED):
            return self._one_by_one(series)
        if isinstance(kind, LocalZonedTimestampType) and str(series.dtype).startswith("datetime64"):
            local = series if series.dt.tz is not None else series.dt.tz_localize(self.zone)
            series = local.dt.tz_convert("UTC").dt.tz_localize(None)
        if str(series.dtype).startswith(("datetime64", "timedelta64")):
            series = series.dt.floor("us")
        try:
            array = pa.Array.from_pandas(series, mask=series.isnull(), type=arrow_type(kind))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return self._one_by_one(series)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if pa.types.is_date32(array.type):
            array = array.cast(pa.int32())
        elif pa.types.is_temporal(array.type):
            array = _cut(array, kind).cast(pa.int64())
        values: list[Any] = array.to_pylist()
        return values

    def _one_by_one(self, series: pandas.Series) -> list[Any]:
        import pandas

        convert = to_inside(self.kind.nullable(), ZoneInfo(self.zone))
        values = []
        for value in series.tolist():
            empty = value is None or (pandas.api.types.is_scalar(value) and pandas.isna(value))
            try:
                values.append(None if empty else convert(value))
            except TypeMismatch as error:
                note = f"it was returned by {self.function}"
                raise TypeMismatch(error.path, error.expected, error.value, note) from None
        return values


def _cut(array: pyarrow.Array, kind: DataType) -> pyarrow.Array:
    """An array of times without the digits that the type does not have."""
    unit = traits_of(kind).unit()
    if unit == 1:
        return array
    import pyarrow.compute as pc

    return pc.floor_temporal(array, unit, "microsecond")
