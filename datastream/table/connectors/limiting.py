"""Sources of tables of which a query wants some rows only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.io import Batch, ReaderContext, Source, SourceReader

from .wrapping import WrappedReader, WrappedSource


class LimitedSource(WrappedSource):
    """The first rows of each split of a source.

    Args:
        inner: The source.
        limit: How many rows of a split.
    """

    def __init__(self, inner: Source, limit: int) -> None:
        super().__init__(inner)
        self._limit = limit

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _LimitedReader(self.inner.create_reader(context), self._limit)


class _LimitedReader(WrappedReader):
    def __init__(self, inner: SourceReader, limit: int) -> None:
        super().__init__(inner)
        self._limit = limit

    def read(self, split: Any) -> Iterator[Batch]:
        left = self._limit
        if not left:
            return
        for records, timestamps in self.inner.read(split):
            yield Batch(records[:left], None if timestamps is None else timestamps[:left])
            left -= min(len(records), left)
            if not left:
                return
