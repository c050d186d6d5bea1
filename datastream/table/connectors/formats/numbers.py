"""Numbers as columns hold them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

from datastream.table.logical_types import BigIntType, DataType, IntType, SmallIntType, TinyIntType

BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}

_ZERO = Decimal(0)
_CONTEXT = Context(prec=100, rounding=ROUND_HALF_UP)


def range_of(kind: DataType) -> tuple[int, int]:
    """The least and the largest value of a type of whole numbers."""
    half = 1 << BITS[type(kind)] - 1
    return -half, half - 1


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
