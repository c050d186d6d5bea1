"""Numbers of any kind as ints, as Flink takes them."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

from datastream.errors import ValidationError, cut


def whole_number(value: Any, expected: str) -> int:
    """A real number as an int, its fraction dropped: 1 for 1.7, for True, for a number of NumPy.

    Args:
        value: The number.
        expected: What the number is, as the error states it: ``the time of a timer must be an int, in ms``.

    Raises:
        ValidationError: It is not a number, or it is not finite.
    """
    if isinstance(value, (Real, Decimal)) or hasattr(value, "__index__"):
        try:
            return int(value)
        except (ValueError, OverflowError, TypeError):  # NaN, infinity, an array
            pass
    raise ValidationError(f"{expected}: got {cut(value)}.")
