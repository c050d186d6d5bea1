"""The whole numbers of a range as a bounded source: ``env.from_sequence``."""

from __future__ import annotations

from collections.abc import Iterator

from datastream.errors import ValidationError
from datastream.io import NumberedSource, Produced
from datastream.io.ranges import blocks
from datastream.types import Types


class NumberSequenceSource(NumberedSource):
    """Produces ``start, start + 1, ..., end``, both inclusive, as PyFlink's class of that name.

    The offset is the next number. Each task produces one contiguous range in rising order.
    """

    grows = False

    def __init__(self, start: int, end: int) -> None:
        """
        Args:
            start: The first number.
            end: The last number.

        Raises:
            ValidationError: if `end` is less than `start`.
        """
        if end < start:
            raise ValidationError(
                f"NumberSequenceSource: start must not be greater than end, got start={start}, end={end}"
            )
        self._start = start
        self._end = end

    @property
    def produced(self) -> Produced:
        return Produced(Types.LONG() if -(2**63) <= self._start <= self._end < 2**63 else Types.BIG_INT(), exact=True)

    def first(self) -> int:
        return self._start

    def end(self) -> int:
        return self._end + 1

    def read(self, start: int, end: int) -> Iterator[list[int]]:
        for low, high in blocks(start, end):
            yield list(range(low, high))
