"""CASE, IF, COALESCE and functions that choose among their arguments."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions import types
from datastream.table.functions.casts import CAST_NAMES
from datastream.table.functions.coercion import compared, comparison_type, converted, has_order, of_text_and_number
from datastream.table.functions.entry import Entry, Rule
from datastream.table.functions.signatures import (
    any_nullable,
    common_of,
    refuse,
    rule,
    type_of,
    types_of,
)
from datastream.table.functions.text_forms import is_float
from datastream.table.functions.types import (
    BYTES,
    STRING,
    TIME,
    Common,
    branch_type,
    merged_type,
    string_type,
    with_nullability,
)
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import BooleanType, DataType, NullType, is_nullable
from datastream.table.types.type_text import summary
from datastream.types.ordering import nan_last


def _branches(args: Sequence[Expression]) -> tuple[list[int], list[int], int | None]:
    """Places of the conditions, of their values, and of the default."""
    pairs = len(args) // 2
    return [2 * each for each in range(pairs)], [2 * each + 1 for each in range(pairs)], _last(args)


def _last(args: Sequence[Expression]) -> int | None:
    return len(args) - 1 if len(args) % 2 else None


def case_type(args: Sequence[Expression], common: Common = branch_type) -> DataType:
    """The type of conditions, their values and a default, in this order."""
    conditions, values, default = _branches(args)
    if not all(isinstance(type_of(args[place]), (BooleanType, NullType)) for place in conditions):
        raise refuse("CASE", args, "(condition, value, ..., default)")
    given = types_of([args[place] for place in values]) + ([NullType()] if default is None else [type_of(args[-1])])
    found = common(given)
    if found is None or isinstance(found, NullType):
        raise refuse("CASE", args, "values of types that have one in common, and one that is not NULL")
    return found


def _if_type(args: Sequence[Expression]) -> DataType:
    """A time has the type of the first value, whatever the other one is, as in Flink."""
    found, first = case_type(args), type_of(args[1])
    return with_nullability(first if isinstance(first, TIME) else found, any_nullable(args))


def case_text(args: Sequence[Expression], target: DataType) -> str:
    """The value of the first condition that is TRUE, as a value of a type."""
    conditions, values, default = _branches(args)
    text = "None" if default is None else converted(args, default, target)
    for condition, value in zip(reversed(conditions), reversed(values), strict=True):
        text = f"({converted(args, value, target)} if {{{condition}}} else {text})"
    return text


def _if_null_type(args: Sequence[Expression]) -> DataType:
    """A text that is never NULL keeps its length, and so do bytes."""
    found, first = _first_known("IFNULL")(args), type_of(args[0])
    return found if is_nullable(first) or not isinstance(first, (*STRING, *BYTES)) else first


def _first_known(name: str) -> Rule:
    common = common_of(name, common=merged_type)

    def resolve(args: Sequence[Expression]) -> DataType:
        return with_nullability(common(args), all(map(is_nullable, types_of(args))))

    return resolve


def _coalesce_text(args: Sequence[Expression]) -> str:
    target = with_nullability(common_of("COALESCE", common=merged_type)(args), True)
    text = converted(args, len(args) - 1, target)
    for place in reversed(range(len(args) - 1)):
        text = f"({converted(args, place, target)} if {{{place}}} is not None else {text})"
    return text


def _nullif_type(args: Sequence[Expression]) -> DataType:
    if comparison_type(*types_of(args)) is None or of_text_and_number(*types_of(args)):
        raise refuse("NULLIF", args, "values that can be compared")
    return with_nullability(type_of(args[0]), True)


def _nullif_text(args: Sequence[Expression]) -> str:
    one, other = compared(args, 0, 1), compared(args, 1, 0)
    return f"(None if {one} == {other} else {{0}})"


def _extreme_type(name: str) -> Rule:
    common = common_of(name, common=merged_type)

    def resolve(args: Sequence[Expression]) -> DataType:
        found = common(args)
        if not has_order(found):
            raise refuse(name, args, "values that have an order")
        return with_nullability(found, any_nullable(args))

    return resolve


def _extreme(name: str, sql: str, python: str, doc: str) -> Entry:
    def text(args: Sequence[Expression]) -> str:
        target = common_of(sql, common=merged_type)(args)
        values = [converted(args, place, target) for place in range(len(args))]
        key = ", key=nan_last" if isinstance(target, types.APPROXIMATE) else ""
        return values[0] if len(values) == 1 else f"{python}({', '.join(values)}{key})"

    names = {**CAST_NAMES, "nan_last": nan_last}
    return Entry(name, (sql,), (1, None), _extreme_type(sql), text, names=names, doc=doc)


def is_decimal(text: str | None) -> bool:
    """Whether the text is a number, as CAST to DOUBLE reads it."""
    return text is not None and is_float(text)


def is_digits(text: str | None) -> bool:
    """Whether the text is digits alone, at least one."""
    return bool(text) and all("0" <= letter <= "9" or letter.isdecimal() for letter in text or "")


def _is_made_of(name: str, sql: str, python: str, numbers: tuple[type[DataType], ...], doc: str) -> Entry:
    """A test of a text; of a number it is TRUE for these types alone, whatever the value, as in Flink."""

    def text(args: Sequence[Expression]) -> str:
        given = type_of(args[0])
        return repr(isinstance(given, numbers)) if isinstance(given, types.NUMBER) else python

    takes = rule(sql, "number or string", BooleanType(), False)
    names = {"is_decimal": is_decimal, "is_digits": is_digits}
    return Entry(name, (sql,), (1, 1), takes, text, strict=False, names=names, doc=doc)


def _typeof_text(args: Sequence[Expression]) -> str:
    return repr(summary(type_of(args[0]))).replace("{", "{{").replace("}", "}}")


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "case",
        ("CASE",),
        (2, None),
        case_type,
        lambda args: case_text(args, case_type(args)),
        strict=False,
        names=CAST_NAMES,
        lazy=True,
        doc="The value of the first condition that is TRUE, else the default.",
    ),
    Entry(
        "ifThenElse",
        ("IF",),
        (3, 3),
        _if_type,
        lambda args: case_text(args, _if_type(args)),
        strict=False,
        names=CAST_NAMES,
        lazy=True,
        doc="The second argument where the condition is TRUE, else the third.",
    ),
    Entry(
        "coalesce",
        ("COALESCE",),
        (1, None),
        _first_known("COALESCE"),
        _coalesce_text,
        strict=False,
        names=CAST_NAMES,
        lazy=True,
        doc="The first argument that is not NULL.",
    ),
    Entry(
        "ifNull",
        ("IFNULL",),
        (2, 2),
        _if_null_type,
        _coalesce_text,
        strict=False,
        names=CAST_NAMES,
        lazy=True,
        doc="The second argument where the first one is NULL.",
    ),
    Entry(
        "nullIf",
        ("NULLIF",),
        (2, 2),
        _nullif_type,
        _nullif_text,
        strict=False,
        nullable=True,
        names=CAST_NAMES,
        doc="NULL where the arguments are equal, else the first one.",
    ),
    _extreme("greatest", "GREATEST", "max", "The greatest of the arguments; NULL where one is NULL."),
    _extreme("least", "LEAST", "min", "The least of the arguments; NULL where one is NULL."),
    _is_made_of(
        "isAlpha", "IS_ALPHA", "({0} is not None and {0}.isalpha())", (), "Whether the string consists of letters."
    ),
    _is_made_of(
        "isDecimal",
        "IS_DECIMAL",
        "is_decimal({0})",
        (*types.WHOLE, *types.APPROXIMATE),
        "Whether the string is a number.",
    ),
    _is_made_of("isDigit", "IS_DIGIT", "is_digits({0})", types.WHOLE, "Whether the string consists of digits."),
    Entry(
        "typeof",
        ("TYPEOF",),
        (1, 2),
        rule("TYPEOF", "any, boolean?", string_type(), True),
        _typeof_text,
        strict=False,
        doc="The type of the argument, as text.",
    ),
)
