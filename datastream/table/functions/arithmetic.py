"""+, -, * and /, of numbers, times and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from datastream.table.functions import types
from datastream.table.functions.calendar_fields import add_months, add_months_to_date
from datastream.table.functions.checks import RANGE_NAMES, WIDE, fitted, in_range, plain_zero
from datastream.table.functions.entry import Entry
from datastream.table.functions.signatures import any_nullable, constant, refuse, type_of
from datastream.table.functions.text_forms import DAY
from datastream.table.functions.types import as_decimal, common_type, with_nullability
from datastream.table.plan.expressions import Expression
from datastream.table.types.intervals import YearMonthIntervalType
from datastream.table.types.logical_types import (
    DataType,
    DateType,
    DecimalType,
    NullType,
    TimeType,
)

_DECIMAL_RULES: Mapping[str, Callable[[DecimalType, DecimalType], DecimalType]] = {
    "+": types.decimal_sum,
    "-": types.decimal_sum,
    "*": types.decimal_product,
    "/": types.decimal_quotient,
}
_DECIMAL_CALLS = {
    "+": "WIDE.add",
    "-": "WIDE.subtract",
    "*": "decimal_product",
    "/": "decimal_quotient",
    "%": "decimal_remainder",
}


def divided(left: float, right: float) -> float:
    """``left / right`` of DOUBLEs: infinite or NaN where `right` is zero."""
    try:
        return left / right
    except ZeroDivisionError:
        if left == 0 or left != left:
            return math.nan
        return math.copysign(math.inf, left) * math.copysign(1.0, right)


def decimal_product(left: Decimal, right: Decimal) -> Decimal:
    """``left * right`` of DECIMALs."""
    return plain_zero(WIDE.multiply(left, right))


def decimal_quotient(left: Decimal, right: Decimal) -> Decimal:
    """``left / right`` of DECIMALs."""
    if not right:
        raise ZeroDivisionError("division by zero")
    return WIDE.divide(left, right)


def decimal_remainder(left: Decimal, right: Decimal) -> Decimal:
    """``left % right`` of DECIMALs, with the sign of `left`."""
    if not right:
        raise ZeroDivisionError("modulo by zero")
    return plain_zero(WIDE.remainder(left, right))


NAMES: Mapping[str, Any] = {
    **RANGE_NAMES,
    "WIDE": WIDE,
    "divided": divided,
    "decimal_product": decimal_product,
    "decimal_quotient": decimal_quotient,
    "decimal_remainder": decimal_remainder,
    "add_months": add_months,
    "add_months_to_date": add_months_to_date,
}


def number_type(name: str, sign: str, left: DataType, right: DataType) -> DataType | None:
    """The type of a computation with two numbers; None: they are no numbers."""
    if isinstance(left, NullType) or isinstance(right, NullType):
        left, right = (right, right) if isinstance(left, NullType) else (left, left)
    if not isinstance(left, types.NUMBER) or not isinstance(right, types.NUMBER):
        return None
    if sign == "%":
        return _remainder_of(left, right)
    if isinstance(left, types.APPROXIMATE) or isinstance(right, types.APPROXIMATE):
        return common_type((left, right))
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        return _DECIMAL_RULES[sign](as_decimal(left), as_decimal(right))
    return common_type((left, right))


def _remainder_of(left: DataType, right: DataType) -> DataType | None:
    """The type of ``left % right``, which have no fraction or a fixed one."""
    if isinstance(left, types.APPROXIMATE) or isinstance(right, types.APPROXIMATE):
        return None
    one, other = as_decimal(left), as_decimal(right)
    return types.decimal_remainder(one, other) if one.scale or other.scale else right


def number_text(sign: str, args: Sequence[Expression], result: DataType) -> str:
    """Python text of a computation with two numbers."""
    left, right = type_of(args[0]), type_of(args[1])
    if isinstance(result, DecimalType):
        text = f"{_DECIMAL_CALLS[sign]}({{0}}, {{1}})"
        exact = sign in "+-*" and result.precision < 38
        return text if exact else f"to_decimal({text}, {result.precision}, {result.scale})"
    if isinstance(result, types.APPROXIMATE):
        one, other = (
            f"float({{{place}}})" if isinstance(each, DecimalType) else f"{{{place}}}"
            for place, each in enumerate((left, right))
        )
        return fitted(_approximate_text(sign, one, other, constant(args[1])), result)
    if sign == "/":
        return _quotient_text(constant(args[1]), result)
    if sign == "%":
        text = _remainder_text(constant(args[1]))
        return text.replace("{0}", "int({0})") if isinstance(left, DecimalType) else text
    return in_range(f"{{0}} {sign} {{1}}", result)


def _approximate_text(sign: str, one: str, other: str, divisor: object) -> str:
    if sign == "/" and not divisor:
        return f"divided({one}, {other})"
    return f"({one} {sign} {other})"


def _quotient_text(divisor: object, result: DataType) -> str:
    if isinstance(divisor, int) and divisor > 0:
        return "({0} // {1} if {0} >= 0 else -(-{0} // {1}))"
    return in_range("({0} // {1} if ({0} >= 0) is ({1} > 0) else -(-{0} // {1}))", result)


def _remainder_text(divisor: object) -> str:
    if isinstance(divisor, int) and divisor > 0:
        return "({0} % {1} if {0} >= 0 else -(-{0} % {1}))"
    return "({0} % abs({1}) if {0} >= 0 else -(-{0} % abs({1})))"


def _shifted_type(name: str, left: DataType, right: DataType) -> DataType | None:
    """The type of a time plus or minus an interval, and of two intervals; None: it is neither."""
    if isinstance(left, types.INTERVAL) and isinstance(right, types.INTERVAL):
        return common_type((left, right))
    if not isinstance(left, types.TIME) or not isinstance(right, types.INTERVAL):
        return None
    return left


def _shifted_text(sign: str, left: DataType, right: DataType, swapped: bool) -> str:
    time, interval = ("{1}", "{0}") if swapped else ("{0}", "{1}")
    if isinstance(right, YearMonthIntervalType):
        if isinstance(left, types.INTERVAL):
            return f"({time} {sign} {interval})"
        if isinstance(left, TimeType):
            return time
        amount = interval if sign == "+" else f"-{interval}"
        return f"{'add_months_to_date' if isinstance(left, DateType) else 'add_months'}({time}, {amount})"
    if isinstance(left, DateType):
        return f"({time} {sign} {interval} // {DAY})"
    text = f"({time} {sign} {interval})"
    return f"({text} % {DAY})" if isinstance(left, TimeType) else text


def sum_type(name: str, sign: str, args: Sequence[Expression]) -> DataType:
    """The type of + or -, with one argument or two."""
    if len(args) == 1:
        return _signed_type(name, args)
    left, right = type_of(args[0]), type_of(args[1])
    if isinstance(right, types.INTERVAL) and isinstance(left, NullType):
        left = right
    found = number_type(name, sign, left, right) or _shifted_type(name, left, right)
    if found is None and sign == "+":
        found = _shifted_type(name, right, left)
    if found is None:
        raise refuse(name, args, "two numbers, or a time and an interval")
    return with_nullability(found, any_nullable(args))


def sum_text(name: str, sign: str) -> Callable[[Sequence[Expression]], str]:
    """Python text of + or -."""

    def text(args: Sequence[Expression]) -> str:
        result = sum_type(name, sign, args)
        if len(args) == 1:
            return _signed_text(sign, result)
        left, right = type_of(args[0]), type_of(args[1])
        if number_type(name, sign, left, right) is not None:
            return number_text(sign, args, result)
        if _shifted_type(name, left, right) is not None:
            return _shifted_text(sign, left, right, False)
        return _shifted_text(sign, right, left, True)

    return text


def _signed_type(name: str, args: Sequence[Expression]) -> DataType:
    if not isinstance(type_of(args[0]), (*types.NUMBER, *types.INTERVAL, NullType)):
        raise refuse(name, args, "a number or an interval")
    return type_of(args[0])


def _signed_text(sign: str, result: DataType) -> str:
    if sign == "+":
        return "{0}"
    if isinstance(result, DecimalType):
        return "plain_zero({0}.copy_negate())"
    return in_range("-{0}", result) if isinstance(result, types.WHOLE) else "(-{0})"


def _product_type(args: Sequence[Expression]) -> DataType:
    left, right = type_of(args[0]), type_of(args[1])
    found = number_type("*", "*", left, right)
    for one, other in ((left, right), (right, left)):
        if found is None and isinstance(one, types.INTERVAL) and isinstance(other, types.NUMBER):
            found = one
    if found is None:
        raise refuse("*", args, "two numbers, or an interval and a number")
    return with_nullability(found, any_nullable(args))


def _product_text(args: Sequence[Expression]) -> str:
    result = _product_type(args)
    if isinstance(result, types.INTERVAL):
        return "int({0} * {1})"
    return number_text("*", args, result)


def _quotient_type(args: Sequence[Expression]) -> DataType:
    left, right = type_of(args[0]), type_of(args[1])
    found = number_type("/", "/", left, right)
    if found is None:
        raise refuse("/", args, "two numbers")
    return with_nullability(found, any_nullable(args))


def _remainder_type(args: Sequence[Expression]) -> DataType:
    left, right = type_of(args[0]), type_of(args[1])
    found = number_type("MOD", "%", left, right)
    if found is None:
        raise refuse("MOD", args, "two numbers other than FLOAT and DOUBLE")
    return with_nullability(found, any_nullable(args))


def _sum(name: str, sql: tuple[str, ...], sign: str, arity: tuple[int, int], doc: str) -> Entry:
    return Entry(
        name,
        sql,
        arity,
        lambda args: sum_type(sql[0], sign, args),
        sum_text(sql[0], sign),
        names=NAMES,
        doc=doc,
    )


ENTRIES: tuple[Entry, ...] = (
    _sum("plus", ("+",), "+", (1, 2), "The sum; also of a time and an interval. With one argument: the argument."),
    _sum("minus", ("-",), "-", (1, 2), "The difference; also of a time and an interval. With one: its negative."),
    _sum("minusPrefix", ("NEG", "NEGATIVE"), "-", (1, 1), "The negative of a number or an interval."),
    Entry("times", ("*",), (2, 2), _product_type, _product_text, names=NAMES, doc="The product."),
    Entry(
        "divide",
        ("/",),
        (2, 2),
        _quotient_type,
        lambda args: number_text("/", args, _quotient_type(args)),
        names=NAMES,
        doc="The quotient; of whole numbers without the fraction.",
    ),
    Entry(
        "mod",
        ("MOD", "%"),
        (2, 2),
        _remainder_type,
        lambda args: number_text("%", args, _remainder_type(args)),
        names=NAMES,
        doc="The remainder of a division, with the sign of the first argument.",
    ),
)
