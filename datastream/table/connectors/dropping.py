"""Sources of tables that drop what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from datastream.formats.dead_letters import DeadLetter
from datastream.io import Batch, Produced, ReaderContext, Source, SourceReader

from .wrapping import WrappedReader, WrappedSource


class DroppingSource(WrappedSource):
    """A source without its dead letters, which its own metric ``numRecordsInErrors`` counts.

    The first one that a task meets is logged.

    Args:
        inner: Returns rows, and pairs of a tag and a dead letter.
    """

    @property
    def produced(self) -> Produced:
        return replace(self.inner.produced, side_tags=())

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _DroppingReader(self.inner.create_reader(context), context)


class _DroppingReader(WrappedReader):
    def __init__(self, inner: SourceReader, context: ReaderContext) -> None:
        super().__init__(inner)
        self._logger, self._logged = context.logger, False

    def read(self, split: Any) -> Iterator[Batch]:
        for batch in self.inner.read(split):
            dropped = [row[1] for row in batch.records if _is_dropped(row)]
            if not dropped:
                yield batch
                continue
            if not self._logged:
                self._logged = True
                self._logger.warning("a record is dropped, as the table ignores parse errors: %s", dropped[0].error)
            kept = [not _is_dropped(row) for row in batch.records]
            yield Batch(_of(batch.records, kept), None if batch.timestamps is None else _of(batch.timestamps, kept))


def without_dropped(source: Source) -> Source:
    """The source, without its dead letters if it has any."""
    return DroppingSource(source) if source.produced.side_tags else source


def _is_dropped(row: Any) -> bool:
    return len(row) == 2 and isinstance(row[1], DeadLetter)


def _of(values: list[Any], kept: list[bool]) -> list[Any]:
    return [value for value, keep in zip(values, kept, strict=True) if keep]
