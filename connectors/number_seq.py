"""The whole numbers of a range as a bounded source: ``env.from_sequence``."""

from __future__ import annotations

from collections.abc import Iterator

from datastream.errors import ValidationError
from datastream.io import Source
from datastream.types import TypeInformation, Types

from .ranges import blocks, cut


class NumberSequenceSource(Source):
    """Produces ``start, start + 1, ..., end``, both inclusive, as PyFlink's class of that name.

    The offset is the next number. Each task produces one contiguous range in rising order.
    """

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
    def produced_type(self) -> TypeInformation:
        return Types.LONG() if -(2**63) <= self._start <= self._end < 2**63 else Types.BIG_INT()

    def initial_offset(self) -> int:
        return self._start

    def latest_offset(self, start: int, budget: int) -> int:
        return min(start + max(budget, 1), self._end + 1)

    def plan(self, start: int, end: int, parallelism: int) -> list[tuple[int, int]]:
        return cut(start, end, parallelism)

    def read(self, split: tuple[int, int]) -> Iterator[list[int]]:
        for low, high in blocks(*split):
            yield list(range(low, high))

    def finished(self, offset: int) -> bool:
        return offset > self._end
