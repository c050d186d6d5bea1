"""Rows into Arrow batches, and batches into the groups that a columnar file is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from datastream.errors import FormatError, TypeMismatch, cut
from datastream.formats.bulk_writer import BulkWriter
from datastream.types import Row

#: Rows of a batch at most. Python objects take some ten times the bytes of their Arrow form, so batches are small.
BATCH_ROWS = 8192
#: Bytes that a batch should have at most, in Arrow's form.
BATCH_BYTES = 4 * 1024 * 1024
#: Rows of a group at most.
GROUP_ROWS = 1024 * 1024

#: Of the first batch, before the size of a row is known.
_FIRST_ROWS = 32

_DECLARE = "; declare output_type=... on the operator before the sink, which turns tuples and dicts into rows"


class GroupWriter(ABC):
    """Writes the row groups, or stripes, of one file."""

    @abstractmethod
    def write(self, batches: list[Any]) -> None:
        """Write Arrow batches as one group."""

    @abstractmethod
    def close(self) -> None:
        """Write the file's end, also where there was no group; leave the stream open."""


class BatchingWriter(BulkWriter):
    """Holds rows until there are enough for a group. Memory: one group in Arrow's form, and one batch of rows.

    Args:
        to_batch: Makes an Arrow batch of rows.
        groups: Where the groups go.
        group_bytes: Bytes of a group at most, in Arrow's form, give or take a batch.
        name: The format's, for errors.
        tuples: Whether tuples of the values stand for rows.
    """

    def __init__(
        self,
        to_batch: Callable[[list[Any]], Any],
        groups: GroupWriter,
        group_bytes: int,
        name: str,
        tuples: bool = False,
    ) -> None:
        self._to_batch = to_batch
        self._tuples = tuples
        self._groups = groups
        self._group_bytes = group_bytes
        self._name = name
        self._rows: list[Any] = []
        self._limit = _FIRST_ROWS
        self._batches: list[Any] = []
        self._count = 0
        self._bytes = 0

    def add_element(self, value: Any) -> None:
        """Take one row.

        Raises:
            FormatError: this row, or one before it since the last batch, does not fit the row type.
        """
        self._rows.append(value)
        if len(self._rows) >= self._limit:
            self._convert()

    def add_elements(self, values: Sequence[Any]) -> None:
        """Take rows.

        Raises:
            FormatError: one of them, or one before them since the last batch, does not fit the row type.
        """
        start = 0
        while start < len(values):
            end = start + self._limit - len(self._rows)
            self._rows += values[start:end]
            start = end
            if len(self._rows) >= self._limit:
                self._convert()

    def flush(self) -> None:
        """Write the rows in memory as a group of their own.

        Raises:
            FormatError: one of them does not fit the row type.
        """
        self._convert()
        self._write()

    def finish(self) -> None:
        """Write the rows in memory and the file's end; the stream stays open.

        Raises:
            FormatError: one of the rows does not fit the row type.
        """
        self.flush()
        self._groups.close()

    def _convert(self) -> None:
        rows = self._rows
        if not rows:
            return
        try:
            batch = self._to_batch(rows)
        except (FormatError, TypeMismatch) as error:
            found, row = self._culprit(rows)
            which = "" if row in str(error) else f"; the row is {row}"
            hint = "" if self._tuples or _is_plain(found) else _DECLARE
            raise FormatError(f"{self._name}: {error}{which}{hint}") from error
        # A new list: the caller keeps none of ours, but an error above must leave the rows where they were.
        self._rows = []
        size = batch.nbytes
        aim = min(BATCH_BYTES, self._group_bytes)
        self._limit = min(max(aim * len(rows) // max(size, 1), 1), BATCH_ROWS)
        self._batches.append(batch)
        self._count += len(rows)
        self._bytes += size
        if self._bytes >= self._group_bytes or self._count >= GROUP_ROWS:
            self._write()

    def _write(self) -> None:
        if self._batches:
            self._groups.write(self._batches)
        self._batches = []
        self._count = self._bytes = 0

    def _culprit(self, rows: list[Any]) -> tuple[Any, str]:
        """The first row that does not fit, and its text."""
        for row in rows:
            try:
                self._to_batch([row])
            except (FormatError, TypeMismatch):
                return row, cut(row)
        return rows[0], f"one of {len(rows)}"


def _is_plain(value: Any) -> bool:
    """Whether it is a row without values of NumPy."""
    return isinstance(value, Row) and not any(type(field).__module__ == "numpy" for field in value)
