"""Writes the rows of a subtask into a Parquet file for each epoch."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from datastream.io import Batch, SinkWriter, WriterContext
from datastream.io.durable import make_folder, sync_folder
from datastream.types import RowTypeInfo, TypeInformation

#: Bytes of a row group at most, in Arrow's form: what a task holds in memory.
_GROUP_BYTES = 64 * 1024 * 1024
#: Rows of an Arrow batch at most.
_BATCH_ROWS = 8192


def arrow_rows(row_type: RowTypeInfo) -> tuple[Any, Callable[[list[Any]], Any]]:
    """The Arrow schema of rows in a file that Spark reads, and what makes batches of rows.

    Raises:
        FormatError: Arrow has no such type.
    """
    from datastream.formats.columnar.storing import stored_as

    return stored_as(row_type, _in_micros)


def _in_micros(arrow: Any, kind: TypeInformation) -> Any:
    """Spark's timestamps and times have microseconds; a value with more digits is refused."""
    import pyarrow as pa

    if pa.types.is_time(arrow):
        return pa.time64("us")
    return pa.timestamp("us", arrow.tz) if pa.types.is_timestamp(arrow) else arrow


class FramesWriter(SinkWriter):
    """Writes a file for each epoch, whose name is never used again.

    Args:
        folder: Where the files lie.
        row_type: The rows.
        context: Whose rows they are.
    """

    def __init__(self, folder: str, row_type: RowTypeInfo, context: WriterContext) -> None:
        self._folder, self._context = folder, context
        self._schema, self._convert = arrow_rows(row_type)
        self._bytes = context.metrics.counter("numBytesOut")
        self._forget()

    def _forget(self) -> None:
        self._waiting: list[Any] = []
        self._size = 0
        self._file: Any = None
        self._groups: Any = None

    def begin(self, epoch: int, attempt: int) -> None:
        self._forget()
        self._path = os.path.join(self._folder, f"{epoch}-{self._context.subtask}-{uuid.uuid4().hex}.parquet")

    def write(self, batch: Batch) -> None:
        for start in range(0, len(batch.records), _BATCH_ROWS):
            rows = self._convert(batch.records[start : start + _BATCH_ROWS])
            self._waiting.append(rows)
            self._size += rows.nbytes
        if self._size >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        from datastream.formats.columnar.parquet_groups import ParquetGroups
        from datastream.formats.columnar.streams import KeptOpen

        if self._groups is None:
            make_folder(self._folder, os.path.dirname(self._folder))
            self._file = open(self._path, "xb")  # noqa: SIM115 - closed at the end of the epoch
            self._groups = ParquetGroups(KeptOpen(self._file), self._schema, {"compression": "snappy"})
        waiting, self._waiting, self._size = self._waiting, [], 0
        self._groups.write(waiting)

    def prepare_commit(self) -> str | None:
        """The name of the file."""
        if not self._waiting and self._groups is None:
            return None
        if self._waiting:
            self._flush()
        self._groups.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._bytes.inc(self._file.tell())
        self._file.close()
        sync_folder(self._folder)
        self._forget()
        return os.path.basename(self._path)

    def abort(self) -> None:
        file = self._file
        self._forget()
        if file is not None:
            file.close()
            with suppress(FileNotFoundError):
                os.remove(self._path)
