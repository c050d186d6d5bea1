"""Numbers as columns hold them."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal

from datastream.table.types.logical_types import BigIntType, DataType, IntType, SmallIntType, TinyIntType

#: The least and the largest value of INT and BIGINT.
INTS, LONGS = (-(1 << 31), (1 << 31) - 1), (-(1 << 63), (1 << 63) - 1)
BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}

#: What Java's `trim` takes away.
BLANKS = "".join(map(chr, range(33)))
#: As in Java, the digits of whole numbers and DECIMALs may be those of any script.
_WHOLE = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_FLOAT = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)[fd]?", re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile(
    r"[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?[0-9]+(?=[fd]?\Z)", re.ASCII | re.IGNORECASE
)
_ENDLESS = re.compile(r"[+-]?(?:NaN|Infinity)")

_ZERO = Decimal(0)
_CONTEXT = Context(prec=100, rounding=ROUND_HALF_UP)


def range_of(kind: DataType) -> tuple[int, int]:
    """The least and the largest value of a type of whole numbers."""
    half = 1 << BITS[type(kind)] - 1
    return -half, half - 1


def read_whole(text: str, least: int, most: int) -> int:
    """The number of a text as Java's `parseInt` reads it; blanks around it do not count.

    Raises:
        ValueError: it is none, or beyond `least` and `most`.
    """
    text = text.strip(BLANKS)
    number = int(text) if _WHOLE.fullmatch(text) else most + 1
    if not least <= number <= most:
        raise ValueError("no whole number")
    return number


def read_float(text: str) -> float:
    """The number of a text as Java's `parseDouble` reads it; blanks around it do not count.

    Raises:
        ValueError: it is none.
    """
    text = text.strip(BLANKS)
    if found := _FLOAT.fullmatch(text):
        return float(found[1])
    if found := _HEXADECIMAL.match(text):
        return float.fromhex(found[0])
    if _ENDLESS.fullmatch(text):
        return float(text)
    raise ValueError("no number")


def read_decimal(text: str) -> Decimal:
    """The number of a text as Java's BigDecimal reads it.

    Raises:
        ValueError: it is none.
    """
    if not _DECIMAL.fullmatch(text):
        raise ValueError("no number")
    return Decimal(text)


def fitted(number: Decimal, unit: Decimal, limit: Decimal) -> Decimal | None:
    """A number rounded to a DECIMAL's scale; None, as in Flink: it has too many digits.

    Args:
        number: Any finite number.
        unit: 1 in the last place: ``Decimal("0.01")``.
        limit: The least number with too many digits.

    Raises:
        InvalidOperation: it is NaN or infinite.
    """
    if not number or number.adjusted() < -100:
        number = _ZERO
    elif number.adjusted() > 60:
        return None
    found = number.quantize(unit, context=_CONTEXT)
    return found if -limit < found < limit else None


def trimmed(number: Decimal) -> Decimal:
    """A number without zeros at the end of its fraction, as Flink's formats write it."""
    return number.normalize(_CONTEXT)


def decimal_bounds(precision: int, scale: int) -> tuple[Decimal, Decimal]:
    """The `unit` and `limit` that `fitted` takes for a DECIMAL."""
    return Decimal(1).scaleb(-scale), Decimal(1).scaleb(precision - scale)
