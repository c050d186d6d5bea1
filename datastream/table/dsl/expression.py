"""`Expression`: what columns, constants, operators and functions give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeVar

from datastream.errors import ValidationError, cut
from datastream.table.dsl.aggregates import AggregateMethods
from datastream.table.dsl.base import functions_of, node_of
from datastream.table.dsl.collections import CollectionMethods
from datastream.table.dsl.json import JsonMethods
from datastream.table.dsl.math import MathMethods
from datastream.table.dsl.text import TextMethods
from datastream.table.dsl.time import TimeMethods
from datastream.table.dsl.units import (
    JsonExistsOnError,
    JsonOnNull,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
    TimeIntervalUnit,
    TimePointUnit,
)
from datastream.table.plan import expressions as plan
from datastream.table.plan.relations import Relation
from datastream.table.types.logical_types import DataType

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Expression",
    "JsonExistsOnError",
    "JsonOnNull",
    "JsonQueryOnEmptyOrError",
    "JsonQueryWrapper",
    "JsonType",
    "JsonValueOnEmptyOrError",
    "TimeIntervalUnit",
    "TimePointUnit",
]

T = TypeVar("T")


def _binary(function: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: self._call(function, other)


def _reversed(function: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: self._with(plan.Call(function, (node_of(other), self.node)), other)


class Expression(MathMethods, TextMethods, TimeMethods, CollectionMethods, JsonMethods, AggregateMethods, Generic[T]):
    """A value of each row, or of each group of rows, as it is written: `col("a") + 1`.

    Operators and methods give new expressions, and nothing is computed. ``str()`` has Flink's form: ``plus(a, 1)``.
    """

    __slots__ = ()
    __hash__ = object.__hash__

    __lt__ = _binary("lessThan")
    __le__ = _binary("lessThanOrEqual")
    __gt__ = _binary("greaterThan")
    __ge__ = _binary("greaterThanOrEqual")
    __add__ = _binary("$plus")
    __sub__ = _binary("minus")
    __mul__ = _binary("times")
    __truediv__ = _binary("divide")
    __mod__ = _binary("mod")
    __pow__ = _binary("power")
    __and__ = _binary("and")
    __or__ = _binary("or")
    __radd__ = _reversed("$plus")
    __rsub__ = _reversed("minus")
    __rmul__ = _binary("times")
    __rtruediv__ = _reversed("divide")
    __rmod__ = _reversed("mod")
    __rpow__ = _reversed("power")
    __rand__ = _binary("and")
    __ror__ = _binary("or")

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._call("equals", other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._call("notEquals", other)

    def __neg__(self) -> Self:
        return self._call("minusPrefix")

    def __abs__(self) -> Self:
        return self.abs

    def __getitem__(self, index: Any) -> Self:
        return self.at(index)

    def __invert__(self) -> Self:
        return self._call("isNotTrue")

    def __bool__(self) -> NoReturn:
        raise ValidationError(
            f"the expression {cut(self)} is neither true nor false while a job is written: combine conditions with &, "
            "| and ~ (in parentheses) instead of and, or and not, and write .then(a, b) instead of if"
        )

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A field of a row: ``col("place").city``."""
            if name.startswith("_") or self._remedy(name) is not None:
                return super().__getattr__(name)
            return self.get(name)

    def __iter__(self) -> NoReturn:
        raise TypeError(f"the expression {cut(self)} cannot be iterated: it has no values while a job is written")

    def alias(self, name: str, *extra_names: str) -> Self:
        """The same under a name; more names are those of a table function's columns."""
        for each in (name, *extra_names):
            if not isinstance(each, str):
                raise ValidationError(f"alias needs names, got {cut(each)}")
        return self._with(plan.Alias(self.node, name, extra_names))

    def as_argument(self, name: str) -> Self:
        """The same as an argument of a process table function, by its parameter's name."""
        if not isinstance(name, str):
            raise ValidationError(f"as_argument needs the name of a parameter, got {cut(name)}")
        return self._with(plan.Argument(self.node, name))

    def cast(self, data_type: DataType) -> Self:
        """The value as another type; it fails where it has no such form."""
        return self._with(plan.Cast(self.node, _type("cast", data_type)))

    def try_cast(self, data_type: DataType) -> Self:
        """The value as another type; NULL where it has no such form."""
        return self._with(plan.Cast(self.node, _type("try_cast", data_type), True))

    @property
    def asc(self) -> Self:
        """In `order_by`: the smallest first."""
        return self._with(plan.Order(self.node))

    @property
    def desc(self) -> Self:
        """In `order_by`: the largest first."""
        return self._with(plan.Order(self.node, False))

    def in_(self, first_element_or_table: Any, *remaining_elements: Any) -> Self:
        """Whether it is equal to one of some values, or to a value in the one column of a table."""
        relation = getattr(first_element_or_table, "__relation__", None)
        if isinstance(relation, Relation):
            if remaining_elements:
                raise ValidationError("in_ needs values, or one table")
            return self._with(plan.Subquery("in", relation, (self.node,)))
        return self._call("in", first_element_or_table, *remaining_elements)

    def over(self, alias: Any) -> Self:
        """An aggregate over the rows of an OVER window, by the window's alias."""
        return self._call("over", plan.Name((alias,)) if isinstance(alias, str) else alias)


def expression_of(node: plan.Expression, *parts: Any) -> Expression[Any]:
    """An expression of a tree that has been made of `parts`."""
    return Expression(node, functions_of(parts))


def call_of(function: str, *args: Any) -> Expression[Any]:
    """A call of a function."""
    return expression_of(plan.Call(function, tuple(map(node_of, args))), *args)


def _type(call: str, given: Any) -> DataType:
    if not isinstance(given, DataType):
        raise ValidationError(f"{call} needs a data type such as DataTypes.INT(), got {cut(given)}")
    return given
