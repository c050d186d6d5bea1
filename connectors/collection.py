"""A collection in the driver as a bounded source: ``env.from_collection``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from datastream.errors import ValidationError
from datastream.io import NumberedSource
from datastream.io.ranges import blocks


class CollectionSource(NumberedSource):
    """Reads the records of a collection, in order. The records travel to the workers with the source.

    The offset is the number of records read.
    """

    grows = False

    def __init__(self, records: Iterable[Any], splits: int = 1) -> None:
        """
        Args:
            records: The records; read once, here. Each must be picklable.
            splits: Into how many tasks an epoch is cut at most. With 1 the order is kept.

        Raises:
            ValidationError: if `splits` is less than 1.
        """
        if splits < 1:
            raise ValidationError(f"CollectionSource: splits must be 1 or more, got {splits}")
        self._records = list(records)
        self.most_splits = splits

    def end(self) -> int:
        return len(self._records)

    def read(self, start: int, end: int) -> Iterator[list[Any]]:
        for low, high in blocks(start, end):
            yield self._records[low:high]
