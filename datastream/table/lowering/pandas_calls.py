"""Calls of functions of pandas over a block of rows."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, itemgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.table.codegen.arrow_columns import ArrowColumn, arrow_type
from datastream.table.codegen.user_calls import ToPython
from datastream.table.codegen.user_open import Opened
from datastream.table.functions.lookup import FunctionLookup, UserFunction
from datastream.table.plan.expressions import Call, Field, Literal
from datastream.table.plan.typed import type_of

from .block_calls import block_function


class PandasCalls:
    """A function: rows -> the same rows with a column more for each call.

    Args:
        calls: Their arguments are columns and constants.
        shift: How many values stand before the columns.
        functions: Finds functions.
        zone: The session's time zone.

    Attributes:
        running: The function in hand.

    Raises:
        UnsupportedOperation: A type has no form in pandas.
    """

    known_as = "pandas functions"

    def __init__(self, calls: Sequence[Call], shift: int, functions: FunctionLookup, zone: str) -> None:
        self._calls = []
        self._columns: dict[int, ArrowColumn] = {}
        for call in calls:
            function = block_function(call, functions)
            assert function is not None
            arrow_type(function.result_type)
            args: list[tuple[int | None, Any]] = []
            for arg in call.args:
                kind = type_of(arg)
                if isinstance(arg, Field):
                    arrow_type(kind)
                    self._columns[arg.index + shift] = ArrowColumn(kind, zone, function.name)
                    args.append((arg.index + shift, None))
                else:
                    assert isinstance(arg, Literal)
                    args.append((None, None if arg.value is None else ToPython(kind, zone)(arg.value)))
            self._calls.append(PandasCall(function, args, zone))
        self._opened = tuple(Opened(each) for each in dict.fromkeys(call.function for call in self._calls))
        self.running = ""

    def open(self, context: Any) -> None:
        """Open the functions."""
        for function in self._opened:
            function.open(context)

    def close(self) -> None:
        """Close the functions."""
        for function in self._opened:
            function.close()

    def __call__(self, rows: list[Any]) -> list[Any]:
        series = {i: column.series(list(map(itemgetter(i), rows))) for i, column in self._columns.items()}
        results = []
        for call in self._calls:
            self.running = call.name
            results.append(call.values(series, len(rows)))
        return list(map(add, rows, zip(*results, strict=True)))


class PandasCall:
    """One call.

    Args:
        function: What is called.
        args: Of each: the index of its column and None, or None and the constant.
        zone: The session's time zone.
    """

    def __init__(self, function: UserFunction, args: Sequence[tuple[int | None, Any]], zone: str) -> None:
        self.name, self.function = function.name, function.function
        self._args = args
        self._result = ArrowColumn(function.result_type, zone, function.name)

    def values(self, series: dict[int, Any], count: int) -> list[Any]:
        """The results, inside, of this number of rows.

        Raises:
            ValidationError: They are not as many.
        """
        args = [constant if index is None else series[index] for index, constant in self._args]
        values = self._result.values(self.function.eval(*args))
        if len(values) != count:
            raise ValidationError(
                f"The result length '{len(values)}' of Pandas UDF '{self.name}' is not equal to the input length "
                f"'{count}'"
            )
        return values
