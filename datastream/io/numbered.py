"""The simplest source: records that are numbered, such as the rows of a table with a rising id."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from datastream.errors import ValidationError

from .contexts import EnumeratorContext, ReaderContext
from .ranges import cut
from .sources import Batch, Source, SourceReader, SplitEnumerator


class NumberedSource(Source):
    """A source of records that have numbers, and keep them: rows by an id, files of a list, lines of an array.

    Give it `end` and `read`, and `first` where the numbers do not start at 0; numbers may have gaps. The methods are
    called beside the driver and in workers, on copies of the settings: open what they need inside them. For connections
    that last write a `SplitEnumerator` and a `SourceReader`.

    The offset is the number of the next record.

    Attributes:
        most_splits: Into how many splits an epoch is cut at most; 1 keeps all records in order.
    """

    most_splits: int | None = None

    def first(self) -> int:
        """The number of the first record. Default: 0."""
        return 0

    @abstractmethod
    def end(self) -> int:
        """The number after the last record that is there now. Must be quick; it never falls."""

    @abstractmethod
    def read(self, start: int, end: int) -> Iterable[list[Any]]:
        """The records numbered from `start` to below `end`, in order, in blocks of up to some thousands.

        It returns the same records whenever it is called.
        """

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _NumberedEnumerator(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _NumberedReader(self)


class _NumberedEnumerator(SplitEnumerator):
    repeatable = True

    def __init__(self, source: NumberedSource) -> None:
        self._source = source
        self._end: int | None = None  # the last one that was seen

    def initial_offset(self) -> int:
        return self._source.first()

    def latest_offset(self, start: int, budget: int) -> int:
        self._end = self._source.end()
        return max(start, min(start + max(budget, 1), self._end))

    def splits(self, start: int, end: int, parallelism: int) -> list[tuple[int, int]]:
        if self._end is None or end > self._end:  # planned by an earlier run
            self._end = self._source.end()
            if end > max(start, self._end):
                raise ValidationError(
                    f"{type(self._source).__name__}: the epoch reads the records {start} to {end - 1}, and now there "
                    f"are none from {self._end} on: a source may get more records, and not fewer"
                )
        most = self._source.most_splits
        return cut(start, end, parallelism if most is None else min(most, parallelism))

    def finished(self, offset: int) -> bool:
        return self._source.bounded and offset >= self._source.end()


class _NumberedReader(SourceReader):
    def __init__(self, source: NumberedSource) -> None:
        self._source = source

    def read(self, split: tuple[int, int]) -> Iterator[Batch]:
        return map(Batch, self._source.read(*split))
