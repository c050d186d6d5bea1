"""What the methods of `Expression` share: a tree of the plan's expressions, and the functions that it calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Self

from datastream.errors import ValidationError, cut
from datastream.missing_names import MissingNames
from datastream.table.functions.user_functions import UserFunction
from datastream.table.plan import expressions as plan
from datastream.table.plan.typed import type_of
from datastream.table.types.intervals import sql_interval
from datastream.table.types.logical_types import CharType, DataType, is_nullable
from datastream.table.types.type_inference import literal_type
from datastream.table.types.type_text import summary
from datastream.table.types.values import to_inside
from datastream.types import Row


class BaseExpression(MissingNames):
    """A tree, and the user functions in it that no catalog has.

    Attributes:
        node: The tree.
        functions: Name in the tree -> function.
    """

    __slots__ = ("functions", "node")

    def __init__(self, node: plan.Expression, functions: Mapping[str, UserFunction] | None = None) -> None:
        self.node = node
        self.functions: Mapping[str, UserFunction] = functions or {}

    def _call(self, function: str, *others: Any) -> Self:
        return self._with(plan.Call(function, (self.node, *map(node_of, others))), *others)

    def _with(self, node: plan.Expression, *others: Any) -> Self:
        return type(self)(node, functions_of((self, *others)))

    def __str__(self) -> str:
        text = str(self.node)
        for name in self.functions:  # plans number what is called inline
            own = name.rpartition("$")[0]
            text = text.replace(f"{name}(", f"{'<lambda>' if own == 'lambda' else own}(")
        return text

    def __repr__(self) -> str:
        return str(self)


class Symbol(plan.Literal):
    """A keyword among the arguments, such as a unit of time."""

    def __str__(self) -> str:
        return str(self.value)


class TypeArgument(plan.Literal):
    """A data type among the arguments: NULL of it."""

    def __str__(self) -> str:
        return summary(type_of(self))


def symbol(value: str | Enum) -> Symbol:
    """A keyword as an argument."""
    text = value.name if isinstance(value, Enum) else value
    return Symbol(text, type=CharType(len(text), False))


def literal(value: Any, data_type: DataType | None = None) -> plan.Literal:
    """A constant.

    Args:
        value: Of Python's.
        data_type: Default: the narrowest of such values.

    Raises:
        ValidationError: it is no constant.
        TypeMismatch: it does not fit the type.
    """
    if isinstance(value, float) and data_type is None and value != value:
        raise ValidationError("lit: NaN is no constant of SQL")
    kind = literal_type(value) if data_type is None else data_type
    if value is None:
        if not is_nullable(kind):
            raise ValidationError(f"lit: None is no value of {summary(kind)}")
        return plan.Literal(None, type=kind)
    return plan.Literal(to_inside(kind.not_null())(value), type=kind.not_null())


def node_of(value: Any) -> plan.Expression:
    """The tree of an expression, of a keyword, of a constant, or of a list, dict or Row of them.

    Raises:
        ValidationError: it is none of them.
    """
    if isinstance(value, BaseExpression):
        return value.node
    if isinstance(value, plan.Expression):
        return value
    if isinstance(value, Enum):
        return symbol(value)
    if isinstance(value, list) and value:
        return plan.Call("array", tuple(map(node_of, value)))
    if isinstance(value, Mapping) and value:
        return plan.Call("map", tuple(node_of(each) for pair in value.items() for each in pair))
    if isinstance(value, Row) and len(value):
        return plan.Call("$row", tuple(map(node_of, value)))
    return literal(value)


def functions_of(values: Iterable[Any]) -> dict[str, UserFunction]:
    """The user functions in expressions; other values have none."""
    found: dict[str, UserFunction] = {}
    for value in values:
        if isinstance(value, BaseExpression):
            found.update(value.functions)
    return found


def months(value: Any, how_many: int) -> plan.Literal:
    """An interval of months: a whole number times the unit.

    Raises:
        ValidationError: it is no whole number.
    """
    return plan.Literal(_number(value, "year-month") * how_many, type=sql_interval("MONTH").not_null())


def microseconds(value: Any, how_many: int) -> plan.Literal:
    """An interval of days and seconds: a whole number times the unit in µs.

    Raises:
        ValidationError: it is no whole number.
    """
    return plan.Literal(_number(value, "day-time") * how_many, type=sql_interval("SECOND").not_null())


def _number(value: Any, kind: str) -> int:
    node = node_of(value)
    if isinstance(node, plan.Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    raise ValidationError(
        f"Invalid constant for {kind} interval: {node}; write it as lit(5).minutes, with a whole number"
    )


def names_of(values: Iterable[Any], call: str) -> list[str]:
    """The names of columns that expressions, or texts, are.

    Raises:
        ValidationError: one is something else.
    """
    found = []
    for value in values:
        node = value.node if isinstance(value, BaseExpression) else value
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, plan.Name) and len(node.parts) == 1:
            found.append(node.parts[0])
        else:
            raise ValidationError(f"{call} needs columns such as col('a'), got {cut(value)}")
    return found
