"""Values that leave their type are an error; they are never wrapped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from struct import Struct
from typing import Any, NoReturn

from datastream.errors import TypeMismatch
from datastream.table.functions.types import whole_range
from datastream.table.types.logical_types import DataType, DecimalType, FloatType

#: Holds every sum, product and quotient of two DECIMALs.
WIDE = Context(prec=100, rounding=ROUND_HALF_UP)

_SINGLE = Struct("f")


def overflow(value: Any, expected: str) -> NoReturn:
    """Raise the error of a value that its type cannot hold."""
    raise TypeMismatch("", expected, value, "cast an argument to a wider type")


def overflow_of_cast(value: Any, expected: str) -> NoReturn:
    """Raise the error of a CAST whose type cannot hold a value."""
    raise TypeMismatch("", expected, value, "cast to a type that holds it, or use TRY_CAST, which returns NULL instead")


def in_range(text: str, data_type: DataType, fail: str = "overflow") -> str:
    """Python text of the same whole number, which fails where its type cannot hold it.

    It needs `RANGE_NAMES`.

    Args:
        text: The number.
        data_type: Its type.
        fail: The name of the function that raises the error.
    """
    least, most = whole_range(data_type)
    return f"(_w if {least} <= (_w := {text}) <= {most} else {fail}(_w, '{data_type.type_name()}'))"


def single(value: float) -> float:
    """The nearest FLOAT."""
    try:
        return _SINGLE.unpack(_SINGLE.pack(value))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def decimal(value: Any, precision: int, scale: int, fail: Callable[[Any, str], NoReturn] = overflow) -> Decimal:
    """A number as DECIMAL, rounded half up.

    Args:
        value: An int, float or Decimal.
        precision: Digits in all.
        scale: Digits after the point.
        fail: What raises the error.

    Raises:
        TypeMismatch: it has more digits, or is NaN or infinite.
    """
    try:
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        rounded = exact.quantize(Decimal((0, (1,), -scale)), context=WIDE)
    except InvalidOperation:
        fail(value, f"DECIMAL({precision}, {scale})")
    if not rounded.is_finite() or (rounded.adjusted() >= precision - scale and rounded):
        fail(value, f"DECIMAL({precision}, {scale})")
    return plain_zero(rounded)


def cast_decimal(text: str, data_type: DecimalType) -> str:
    """Python text of a number that is cast to DECIMAL. It needs `RANGE_NAMES`."""
    return f"to_decimal({text}, {data_type.precision}, {data_type.scale}, overflow_of_cast)"


def fitted(text: str, data_type: DataType) -> str:
    """Python text of a computed FLOAT as a FLOAT; of any other number as it is."""
    return f"single({text})" if isinstance(data_type, FloatType) else text


def cut_decimal(value: Decimal, scale: int) -> Decimal:
    """The DECIMAL without the digits after the scale."""
    return plain_zero(value.quantize(Decimal((0, (1,), -scale)), ROUND_DOWN, WIDE))


def plain_zero(value: Decimal) -> Decimal:
    """The DECIMAL; zero without a sign, which Java's does not have."""
    return value or value.copy_abs()


#: What the text of this module names.
RANGE_NAMES: Mapping[str, Any] = {
    "overflow": overflow,
    "overflow_of_cast": overflow_of_cast,
    "single": single,
    "to_decimal": decimal,
    "plain_zero": plain_zero,
}
