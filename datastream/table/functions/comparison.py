"""Comparisons: =, <, BETWEEN, IN, IS NULL, LIKE, SIMILAR TO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.table.functions import types
from datastream.table.functions.casts import CAST_NAMES
from datastream.table.functions.coercion import (
    compared,
    comparison_type,
    converted,
    has_equality,
    has_order,
    of_text_and_number,
)
from datastream.table.functions.entry import Entry, Rule
from datastream.table.functions.patterns import like, like_regex, like_text, similar, similar_regex
from datastream.table.functions.signatures import any_nullable, constant, refuse, rule, type_of
from datastream.table.plan.expressions import Expression, Literal
from datastream.table.types.logical_types import BooleanType, DataType, DecimalType, FloatType

_LONG_LIST = 4
#: Values that a string is compared with as strings by IN.
_WRITTEN = (*types.NUMBER, *types.TIME, BooleanType)


def _comparable(name: str, ordered: bool, nullable: bool | None = None) -> Rule:
    def resolve(args: Sequence[Expression]) -> DataType:
        first = type_of(args[0])
        for each in args[1:]:
            if comparison_type(first, type_of(each)) is None:
                raise refuse(name, args, "values that can be compared")
        if ordered and not all(has_order(type_of(each)) for each in args):
            raise refuse(name, args, "values that have an order")
        return BooleanType(any_nullable(args) if nullable is None else nullable)

    return resolve


def _equatable(name: str, nullable: bool | None = None) -> Rule:
    """Of values that are equal or not. A string and a number are never tested for it, as in Flink."""
    comparable = _comparable(name, False, nullable)

    def resolve(args: Sequence[Expression]) -> DataType:
        if of_text_and_number(type_of(args[0]), type_of(args[1])):
            raise refuse(name, args, "two strings or two numbers")
        return comparable(args)

    return resolve


def _operator(name: str, sql: tuple[str, ...], sign: str, doc: str) -> Entry:
    def text(args: Sequence[Expression]) -> str:
        return f"({compared(args, 0, 1)} {sign} {compared(args, 1, 0)})"

    resolve = _equatable(sql[0]) if sign in ("==", "!=") else _comparable(sql[0], True)
    return Entry(name, sql, (2, 2), resolve, text, names=CAST_NAMES, doc=doc)


def _distinct(name: str, sql: str, sign: str, doc: str) -> Entry:
    def text(args: Sequence[Expression]) -> str:
        return f"({compared(args, 0, 1)} {sign} {compared(args, 1, 0)})"

    return Entry(name, (sql,), (2, 2), _equatable(sql, False), text, strict=False, names=CAST_NAMES, doc=doc)


def _between(name: str, sql: str, negated: bool, symmetric: bool, doc: str) -> Entry:
    """BETWEEN as Python: FALSE as soon as one side tells so, even if the other one is NULL."""

    def parts(args: Sequence[Expression]) -> tuple[str, str, str]:
        low, high = compared(args, 1, 0), compared(args, 2, 0)
        value = compared(args, 0, 1 if compared(args, 0, 1) != "{0}" else 2)
        return value, low, high

    def condition(args: Sequence[Expression]) -> str:
        value, low, high = parts(args)
        known = "".join(f"{{{place}}} is not None and " for place in range(3) if _may_be_null(args[place]))
        if symmetric:
            low, high = f"min({low}, {high})", f"max({low}, {high})"
        inside = f"{low} <= {value} <= {high}"
        if not negated:
            return f"({known}{inside})"
        if not symmetric and (_may_be_null(args[1]) or _may_be_null(args[2])):
            return f"(between({value}, {low}, {high}) is False)"
        return f"({known}not {inside})"

    def text(args: Sequence[Expression]) -> str:
        value, low, high = parts(args)
        if not any(map(_may_be_null, args[1:])):
            tested = condition(args)
            return f"(None if {{0}} is None else {tested})" if _may_be_null(args[0]) else tested
        function = "between_symmetric" if symmetric else "between"
        tested = f"{function}({value}, {low}, {high})"
        return f"negation({tested})" if negated else tested

    names = {**CAST_NAMES, "between": between, "between_symmetric": between_symmetric, "negation": negation}
    resolve = _comparable(sql, True)
    return Entry(name, (sql,), (3, 3), resolve, text, condition, strict=False, names=names, doc=doc)


def _may_be_null(argument: Expression) -> bool:
    return any_nullable([argument])


def between(value: Any, low: Any, high: Any) -> bool | None:
    """``value BETWEEN low AND high``."""
    if value is None:
        return None
    if (low is not None and value < low) or (high is not None and value > high):
        return False
    return None if low is None or high is None else bool(low <= value <= high)


def between_symmetric(value: Any, one: Any, other: Any) -> bool | None:
    """``value BETWEEN SYMMETRIC one AND other``: which of the two is less, does not matter."""
    if value is None or one is None or other is None:
        return None
    return bool(min(one, other) <= value <= max(one, other))


def negation(value: bool | None) -> bool | None:
    """``NOT value``."""
    return None if value is None else not value


def contained(value: Any, among: tuple[Any, ...]) -> bool | None:
    """``value IN (among)``."""
    if value is None:
        return None
    if value in among:
        return True
    return None if None in among else False


def _as_text(args: Sequence[Expression], place: int) -> bool:
    """Whether a value of a list is written as a string, as the value looked for is one: a string need be no number."""
    return isinstance(type_of(args[0]), types.STRING) and isinstance(type_of(args[place]), _WRITTEN)


def _listed(args: Sequence[Expression], place: int) -> str:
    """Text of a value of a list: a string beside a string, a FLOAT beside a FLOAT."""
    first = type_of(args[0])
    of_float = isinstance(first, FloatType) and isinstance(type_of(args[place]), DecimalType)
    return converted(args, place, first) if of_float or _as_text(args, place) else compared(args, place, 0)


def _in_list(args: Sequence[Expression]) -> tuple[str, str, bool]:
    """The value's text, the list's, and whether the list holds no NULL."""
    others = range(1, len(args))
    values = [_listed(args, place) for place in others]
    converting = [compared(args, 0, place) for place in others if not _as_text(args, place)]
    value = next((text for text in converting if text != "{0}"), "{0}")
    constants = all(isinstance(each, Literal) and each.value is not None for each in args[1:])
    if constants and len(values) > _LONG_LIST and has_equality(type_of(args[0])):
        return value, f"{{{{{', '.join(values)}}}}}", True
    return value, f"({', '.join(values)},)", not any(map(_may_be_null, args[1:]))


def _in(name: str, sql: str, negated: bool, doc: str) -> Entry:
    word = "not in" if negated else "in"

    def text(args: Sequence[Expression]) -> str:
        value, among, known = _in_list(args)
        if known:
            return f"(None if {{0}} is None else {value} {word} {among})"
        found = f"contained({value}, {among})"
        return f"negation({found})" if negated else found

    def condition(args: Sequence[Expression]) -> str:
        value, among, known = _in_list(args)
        if known:
            return f"({{0}} is not None and {value} {word} {among})"
        return f"(contained({value}, {among}) is {not negated})"

    comparable = _comparable(sql, False)

    def resolve(args: Sequence[Expression]) -> DataType:
        found = comparable(args)
        first = type_of(args[1])
        if any(of_text_and_number(first, type_of(each)) for each in args[2:]):
            raise refuse(sql, args, "a list of strings or of numbers")
        return found

    names = {**CAST_NAMES, "contained": contained, "negation": negation}
    return Entry(name, (sql,), (2, None), resolve, text, condition, strict=False, names=names, doc=doc)


def _is(name: str, sql: tuple[str, ...], takes: str, python: str, doc: str) -> Entry:
    return Entry(name, sql, (1, 1), rule(sql[0], takes, BooleanType(), False), python, python, strict=False, doc=doc)


def _like(name: str, sql: str, negated: bool, doc: str) -> Entry:
    def text(args: Sequence[Expression]) -> str:
        pattern, escape = constant(args[1]), constant(args[2]) if len(args) > 2 else ""
        simple = like_text(pattern, escape) if isinstance(pattern, str) and isinstance(escape, str) else None
        if simple is None:
            simple = f"like({', '.join(f'{{{place}}}' for place in range(len(args)))})"
        return f"(not {simple})" if negated else simple

    return Entry(name, (sql,), (2, 3), _of_pattern(sql, like_regex), text, names={"like": like}, doc=doc)


def _similar(name: str, sql: str, negated: bool, doc: str) -> Entry:
    def text(args: Sequence[Expression]) -> str:
        call = "similar({0}, {1}, {2})" if len(args) == 3 else "similar({0}, {1})"
        return f"(not {call})" if negated else call

    return Entry(name, (sql,), (2, 3), _of_pattern(sql, similar_regex), text, names={"similar": similar}, doc=doc)


def _of_pattern(sql: str, regex: Callable[..., object]) -> Callable[[Sequence[Expression]], DataType]:
    def resolve(args: Sequence[Expression]) -> DataType:
        found = rule(sql, "string, string, string?", BooleanType())(args)
        known = [constant(each) for each in args[1:]]
        if all(isinstance(each, str) for each in known):
            regex(*known)  # a wrong one fails here
        return found

    return resolve


ENTRIES: tuple[Entry, ...] = (
    _operator("equals", ("=", "=="), "==", "Whether the values are equal."),
    _operator("notEquals", ("<>",), "!=", "Whether the values differ."),
    _operator("lessThan", ("<",), "<", "Whether the first value is less than the second."),
    _operator("lessThanOrEqual", ("<=",), "<=", "Whether the first value is less than or equal to the second."),
    _operator("greaterThan", (">",), ">", "Whether the first value is greater than the second."),
    _operator("greaterThanOrEqual", (">=",), ">=", "Whether the first value is greater than or equal to the second."),
    _distinct("isDistinctFrom", "IS DISTINCT FROM", "!=", "Whether the values differ; NULL equals NULL."),
    _distinct("isNotDistinctFrom", "IS NOT DISTINCT FROM", "==", "Whether the values are equal; NULL equals NULL."),
    _between("between", "BETWEEN", False, False, "Whether the value lies within the bounds, bounds included."),
    _between("notBetween", "NOT BETWEEN", True, False, "Whether the value lies outside the bounds."),
    _between("betweenSymmetric", "BETWEEN SYMMETRIC", False, True, "BETWEEN with the bounds in any order."),
    _between("notBetweenSymmetric", "NOT BETWEEN SYMMETRIC", True, True, "NOT BETWEEN with the bounds in any order."),
    _in("in", "IN", False, "Whether the value is in the list."),
    _in("notIn", "NOT IN", True, "Whether the value is not in the list."),
    _is("isNull", ("IS NULL", "IS UNKNOWN"), "any", "({0} is None)", "Whether the value is NULL."),
    _is("isNotNull", ("IS NOT NULL", "IS NOT UNKNOWN"), "any", "({0} is not None)", "Whether the value is not NULL."),
    _like("LIKE", "LIKE", False, "Whether the string matches the pattern: `%` is any text, `_` is any character."),
    _like("notLike", "NOT LIKE", True, "Whether the string does not match the pattern of LIKE."),
    _similar("similar", "SIMILAR TO", False, "Whether the string matches the SQL regular expression."),
    _similar("notSimilar", "NOT SIMILAR TO", True, "Whether the string does not match the SQL regular expression."),
)
