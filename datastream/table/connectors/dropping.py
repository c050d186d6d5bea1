"""Sources of tables that drop what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from datastream.formats.dead_letters import DeadLetter
from datastream.io import Batch, EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.io.sources import ends


class DroppingSource(Source):
    """A source without its dead letters, which its own metric ``numRecordsInErrors`` counts.

    The first one that a task meets is logged.

    Args:
        inner: Gives rows, and pairs of a tag and a dead letter.
    """

    def __init__(self, inner: Source) -> None:
        self._inner = inner
        self.bounded, self.grows = inner.bounded, inner.grows

    @property
    def produced(self) -> Produced:
        return replace(self._inner.produced, side_tags=())

    @property
    def _ends(self) -> bool:
        return ends(self._inner)

    def validate(self) -> None:
        self._inner.validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return self._inner.create_enumerator(context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _DroppingReader(self._inner.create_reader(context), context)


class _DroppingReader(SourceReader):
    def __init__(self, inner: SourceReader, context: ReaderContext) -> None:
        self._inner, self._logger = inner, context.logger
        self._logged = False

    def begin(self, epoch: int, attempt: int) -> None:
        self._inner.begin(epoch, attempt)

    def read(self, split: Any) -> Iterator[Batch]:
        for batch in self._inner.read(split):
            dropped = [row[1] for row in batch.records if _is_dropped(row)]
            if not dropped:
                yield batch
                continue
            if not self._logged:
                self._logged = True
                self._logger.warning("a record is dropped, as the table ignores parse errors: %s", dropped[0].error)
            kept = [not _is_dropped(row) for row in batch.records]
            yield Batch(_of(batch.records, kept), None if batch.timestamps is None else _of(batch.timestamps, kept))

    def idle(self) -> None:
        self._inner.idle()

    def close(self) -> None:
        self._inner.close()


def without_dropped(source: Source) -> Source:
    """The source, without its dead letters if it has any."""
    return DroppingSource(source) if source.produced.side_tags else source


def _is_dropped(row: Any) -> bool:
    return len(row) == 2 and isinstance(row[1], DeadLetter)


def _of(values: list[Any], kept: list[bool]) -> list[Any]:
    return [value for value, keep in zip(values, kept, strict=True) if keep]
