"""Expressions as Flink's plans have them: ``>(x, 1)`` in the physical plan, ``(x > 1)`` in the execution plan."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Literal, Order
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import DataType, DateType, LocalZonedTimestampType, TimestampType
from datastream.table.types.type_text import summary

_OPERATORS = {
    "equals": "=",
    "notEquals": "<>",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
    "plus": "+",
    "$plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "and": "AND",
    "or": "OR",
}
_NAMES = {
    "isNull": "IS NULL",
    "isNotNull": "IS NOT NULL",
    "isNotDistinctFrom": "IS NOT DISTINCT FROM",
    "isDistinctFrom": "IS DISTINCT FROM",
    "isTrue": "IS TRUE",
    "isFalse": "IS FALSE",
    "not": "NOT",
    "minusPrefix": "-",
    "ifThenElse": "CASE",
    "$ifThenElse": "CASE",
    "concat": "||",
    "$concat": "||",
}
_TYPES = {"STRING": "VARCHAR(2147483647)", "INT": "INTEGER", "BYTES": "VARBINARY(2147483647)"}
_EPOCH = dt.datetime(1970, 1, 1)


class ExpressionText:
    """Writes expressions.

    Args:
        functions: Gives the names of functions in SQL.
        infix: Operators are between their operands.
    """

    def __init__(self, functions: FunctionLookup, infix: bool) -> None:
        self._functions, self._infix = functions, infix

    def of(self, expression: Expression, names: Sequence[str] | None = None) -> str:
        """The text of an expression.

        Args:
            expression: Resolved.
            names: Of the columns that it reads; None: the names that it was resolved with.
        """
        match expression:
            case Field(index=index, name=name):
                return name if names is None else names[index]
            case Literal():
                return _constant(expression)
            case Alias(arg=arg) | Order(arg=arg):
                return self.of(arg, names)
            case Cast(arg=arg, to=to, safe=safe):
                return f"{'TRY_CAST' if safe else 'CAST'}({self.of(arg, names)} AS {type_text(to)})"
            case Call(filter=condition):
                text = self._call(expression, names)
                return text if condition is None else f"{text} FILTER {self.of(condition, names)}"
        return str(expression)

    def all(self, conditions: Sequence[Expression], names: Sequence[str] | None = None) -> str:
        """The text of conditions that must all be TRUE; without any, ``true``."""
        parts = [self.of(each, names) for each in conditions]
        if len(parts) < 2:
            return parts[0] if parts else "true"
        return f"({' AND '.join(parts)})" if self._infix else f"AND({', '.join(parts)})"

    def order(self, order: Sequence[Order]) -> str:
        """The text of ORDER BY."""
        return ", ".join(f"{self.of(each.arg)} {'ASC' if each.ascending else 'DESC'}" for each in order)

    def _call(self, call: Call, names: Sequence[str] | None) -> str:
        args = [self.of(each, names) for each in call.args]
        operator = _OPERATORS.get(call.function)
        if operator is not None and len(args) > 1:
            return f"({f' {operator} '.join(args)})" if self._infix else f"{operator}({', '.join(args)})"
        name = _NAMES.get(call.function) or operator or self._name(call.function)
        if self._infix and name in ("IS NULL", "IS NOT NULL"):
            return f"{args[0]} {name}"
        if not args and name in ("COUNT", "count"):
            args = ["*"]
        return f"{name}({'DISTINCT ' if call.distinct else ''}{', '.join(args)})"

    def _name(self, function: str) -> str:
        found = self._functions.find(function)
        if isinstance(found, Entry | AggregateEntry):
            return found.sql[0] if found.sql else found.name
        return function.rpartition(".")[2]


def type_text(kind: DataType) -> str:
    """A type as plans name it."""
    text = summary(kind.nullable())
    return _TYPES.get(text, text)


def _constant(literal: Literal) -> str:
    value, kind = literal.value, literal.type
    if value is None:
        return "null" if kind is None else f"null:{type_text(kind)}"
    if isinstance(kind, DayTimeIntervalType):
        return f"{value // 1000}:{summary(kind.nullable()).split('(')[0]}"
    if isinstance(kind, DateType):
        return str((_EPOCH + dt.timedelta(days=value)).date())
    if isinstance(kind, TimestampType | LocalZonedTimestampType):
        text = str(_EPOCH + dt.timedelta(microseconds=value))
        return text.rstrip("0") if "." in text else text
    return str(literal)
