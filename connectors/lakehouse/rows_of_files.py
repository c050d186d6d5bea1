"""Which rows of which files an epoch holds, and how they are read."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from datastream.connectors.row_groups import may_hold
from datastream.errors import FormatError
from datastream.io import Batch, Predicate, ReaderContext, SourceReader, SplitEnumerator

from .read_settings import ReadSettings

#: How long new versions are looked through at a time, in s.
_LOOK_S = 0.3
#: Rows of an Arrow batch at most.
BATCH_ROWS = 2048


@dataclass(frozen=True)
class RowsOfFile:
    """Some rows of a file.

    Attributes:
        file: The file; its `rows` are known.
        start: The first row.
        end: The row after the last one.
    """

    file: Any
    start: int
    end: int


class VersionsEnumerator(SplitEnumerator):
    """Counts the rows of a table's versions, each of which is a list of files.

    An offset says which version, and the row within it, come next.

    Args:
        bounded: Whether one version is read, and the source ends.
    """

    def __init__(self, bounded: bool) -> None:
        self._bounded = bounded

    @property
    def repeatable(self) -> bool:  # type: ignore[override]
        return self._bounded

    @abstractmethod
    def check(self) -> None:
        """See that the table is there, and has the columns.

        Raises:
            ValidationError: It has not.
            UnsupportedOperation: It cannot be read.
        """

    @abstractmethod
    def files_of(self, offset: dict[str, Any], look: bool = False) -> Sequence[Any] | None:
        """The files of an offset's version, whose `rows` are known; None: it is not there yet.

        Args:
            offset: The offset.
            look: The version is there: look for it at once.
        """

    @abstractmethod
    def after(self, offset: dict[str, Any], look: bool = False) -> dict[str, Any] | None:
        """The beginning of the version after that of an offset; None: it is not there yet.

        Args:
            offset: The offset.
            look: The version is there: look for it at once.
        """

    @abstractmethod
    def same_version(self, one: dict[str, Any], other: dict[str, Any]) -> bool:
        """Whether two offsets are in the same version."""

    def may_hold(self, file: Any) -> bool:
        """Whether a file may have rows that are wanted, by what the table says of it."""
        return True

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        end, left, deadline = start, max(budget, 1), time.monotonic() + _LOOK_S
        while left > 0:
            files = self.files_of(end)
            if files is None:
                break
            rows = sum(file.rows for file in files)
            if rows - end["row"] > left:
                return {**end, "row": end["row"] + left}
            left -= rows - end["row"]
            following = None if self._bounded else self.after(end)
            if following is None:
                return {**end, "row": rows}
            end = following
            if time.monotonic() > deadline:
                break
        return end

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[list[RowsOfFile]]:
        parts = list(self._between(start, end))
        share = max(-(-sum(part.end - part.start for part in parts) // max(parallelism, 1)), 1)
        splits: list[list[RowsOfFile]] = []
        room = 0
        for part in parts:
            at = part.start
            while at < part.end:
                if not room:
                    splits.append([])
                    room = share
                stop = min(part.end, at + room)
                splits[-1].append(replace(part, start=at, end=stop))
                room -= stop - at
                at = stop
        return splits

    def finished(self, offset: dict[str, Any]) -> bool:
        if not self._bounded:
            return False
        files = self.files_of(offset)
        return files is not None and offset["row"] >= sum(file.rows for file in files)

    def _between(self, start: dict[str, Any], end: dict[str, Any]) -> Iterator[RowsOfFile]:
        at: dict[str, Any] | None = start
        while at is not None:
            last = self.same_version(at, end)
            stop = end["row"] if last else None
            if stop != at["row"]:
                parts = _rows(self.files_of(at, look=True) or (), at["row"], stop)
                yield from (part for part in parts if self.may_hold(part.file))
            at = None if last else self.after(at, look=True)


def _rows(files: Sequence[Any], start: int, end: int | None) -> Iterator[RowsOfFile]:
    """The parts of files between two rows of a version."""
    first = 0
    for file in files:
        low, high = max(start - first, 0), file.rows if end is None else min(end - first, file.rows)
        if low < high:
            yield RowsOfFile(file, low, high)
        first += file.rows


@dataclass(frozen=True)
class GroupRows:
    """Some rows of a row group of a Parquet file.

    Attributes:
        group: The number of the row group.
        first: The number of its first row in the file.
        start: The first row of it.
        end: The row after the last one.
        size: Bytes of the row group, uncompressed.
    """

    group: int
    first: int
    start: int
    end: int
    size: int

    def batches(self, file: Any, columns: list[str] | None) -> Iterator[tuple[int, Any]]:
        """Arrow batches of them, each with the number of its first row in the file.

        Args:
            file: The file.
            columns: Which columns; None: all.
        """
        low = 0
        for batch in file.iter_batches(BATCH_ROWS, [self.group], columns, use_threads=False):
            first, last = max(self.start - low, 0), min(self.end - low, batch.num_rows)
            at, low = low, low + batch.num_rows
            if first < last:
                yield self.first + at + first, batch.slice(first, last - first)
            if low >= self.end:
                return


def groups_of(metadata: Any, part: RowsOfFile, predicates: Sequence[Predicate]) -> Iterator[GroupRows]:
    """The row groups that hold rows, but for those that have none for which the predicates are true."""
    first = 0
    for group in range(metadata.num_row_groups):
        found = metadata.row_group(group)
        count = found.num_rows
        if first < part.end and part.start < first + count and may_hold(found, predicates):
            start, end = max(part.start - first, 0), min(part.end - first, count)
            yield GroupRows(group, first, start, end, found.total_byte_size)
        first += count


class FilesReader(SourceReader):
    """Reads rows of Parquet files.

    Args:
        source: The settings.
        context: Where the bytes are counted.
    """

    def __init__(self, source: ReadSettings, context: ReaderContext) -> None:
        from datastream.types.arrow import row_reader

        self._to_records = source.to_records
        self._to_rows = row_reader(source.row_type, tuples=source.to_records is not None)
        self._bytes = context.metrics.counter("numBytesIn")

    def batch(self, batch: Any) -> Batch:
        """The records of an Arrow batch."""
        rows = self._to_rows(batch)
        return Batch(rows if self._to_records is None else self._to_records(rows))


def opened_file(stream: Any, name: str, rows: int, said_by: str) -> Any:
    """A Parquet file.

    Args:
        stream: Its bytes.
        name: The file, for errors.
        rows: How many rows it should have.
        said_by: Who says so, for errors.

    Raises:
        FormatError: It is damaged, or has another number of rows.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(stream, pre_buffer=False, coerce_int96_timestamp_unit="us")
    except pa.ArrowInvalid as error:
        raise FormatError(f"{name} is damaged, or no Parquet file: {error}") from error
    if (found := file.metadata.num_rows) != rows:
        file.close()
        raise FormatError(f"{name} has {found} rows, and {said_by} says {rows}")
    return file
