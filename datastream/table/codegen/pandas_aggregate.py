"""Aggregate functions of pandas over the rows of a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions.lookup import UserFunction
from datastream.table.functions.types import WHOLE
from datastream.table.types.logical_types import DataType

from .arrow_columns import ArrowColumn, arrow_type
from .user_calls import FromPython


class PandasAggregate:
    """A function: rows of arguments -> the value inside.

    Args:
        function: What gets them as Series.
        kinds: Types of the arguments.
        zone: The session's time zone.

    Raises:
        UnsupportedOperation: A type has no form in pandas.
    """

    def __init__(self, function: UserFunction, kinds: Sequence[DataType], zone: str) -> None:
        for kind in kinds:
            arrow_type(kind)
        self.known_as, self._function = function.name, function.function
        self._columns = [ArrowColumn(kind, zone, function.name) for kind in kinds]
        #: A Series or an array of one value is that value where whole numbers are wanted, as in PyFlink.
        self._whole = isinstance(function.result_type, WHOLE)
        self._convert = FromPython(function.result_type, zone, function.name)

    def __call__(self, rows: Sequence[tuple[Any, ...]]) -> Any:
        import pandas

        values = zip(*rows, strict=True) if rows else [()] * len(self._columns)
        series = [column.series(list(each)) for column, each in zip(self._columns, values, strict=True)]
        accumulator = self._function.create_accumulator()
        self._function.accumulate(accumulator, *series)
        result = self._function.get_value(accumulator)
        if self._whole and hasattr(result, "item") and getattr(result, "size", 0) == 1:
            result = result.item()
        if isinstance(result, (pandas.Series, pandas.DataFrame)):
            raise ValidationError(
                f"{self.known_as} must give one value for a group, but gave a {type(result).__name__}"
            )
        return self._convert(_plain(result))


def _plain(value: Any) -> Any:
    """A value of NumPy or pandas as one of Python; what is missing is NULL."""
    import pandas

    if pandas.api.types.is_scalar(value) and pandas.isna(value):
        return None
    if isinstance(value, pandas.Timestamp):
        return value.to_pydatetime()
    if isinstance(value, pandas.Timedelta):
        return value.to_pytimedelta()
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
