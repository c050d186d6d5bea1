"""Writers of tables: files that the committer adds to the log, and changes that it merges."""

from __future__ import annotations

from typing import Any

from datastream.io import Batch, SinkWriter, WriterContext

from .partition_files import PartitionFiles
from .write_settings import WriteSettings

#: The column of staged changes that says whether a row is taken away.
DELETED = "__datastream_deleted"
#: Kinds of rows that take one away: -U and -D.
_REMOVED = (1, 3)
#: Rows of an Arrow batch at most.
_BATCH_ROWS = 8192


class _FilesWriter(SinkWriter):
    """What both writers share: the files of an attempt at an epoch.

    Attributes:
        sink: The settings.
    """

    def __init__(self, sink: WriteSettings, context: WriterContext) -> None:
        self.sink, self.context = sink, context
        self.schema, self._convert = sink.stored_rows()
        self._bytes = context.metrics.counter("numBytesOut")
        self.epoch = 0
        self.files: PartitionFiles[Any] | None = None

    def begin(self, epoch: int, attempt: int) -> None:
        self.epoch, self.files = epoch, None

    def to_batch(self, records: list[Any]) -> Any:
        """An Arrow batch of records, which may change afterwards."""
        return self._convert(records if self.sink.to_tuples is None else self.sink.to_tuples(records))

    def finished(self) -> list[Any] | None:
        """The files of the epoch."""
        files, self.files = self.files, None
        made = [] if files is None else files.finish()
        self._bytes.inc(sum(file.size for file in made))
        return made or None

    def abort(self) -> None:
        files, self.files = self.files, None
        if files is not None:
            files.abort()


class AppendingWriter(_FilesWriter):
    """Writes rows to files of the table, one for each partition."""

    def write(self, batch: Batch) -> None:
        if self.files is None:
            self.files = self.sink.new_files(self.context, self.epoch)
        for start in range(0, len(batch.records), _BATCH_ROWS):
            self.files.add(self.to_batch(batch.records[start : start + _BATCH_ROWS]))

    def prepare_commit(self) -> list[Any] | None:
        return self.finished()


class MergingWriter(_FilesWriter):
    """Keeps the last row of each key of an epoch, and writes them to a file beside the table, to be merged."""

    def begin(self, epoch: int, attempt: int) -> None:
        super().begin(epoch, attempt)
        self._last: dict[tuple[Any, ...], tuple[bool, Any]] = {}

    def write(self, batch: Batch) -> None:
        key, kinds = self.sink.key_indexes, self.sink.kinds
        for record in batch.records:
            removed, row = (record[0] in _REMOVED, record[1:]) if kinds else (False, record)
            self._last[tuple([row[i] for i in key])] = removed, row

    def prepare_commit(self) -> list[Any] | None:
        import pyarrow as pa

        if not self._last:
            return None
        staged = staged_schema(self.schema)
        self.files = self.sink.new_staged_files(self.context, self.epoch, staged)
        rows = list(self._last.values())
        self._last = {}
        for start in range(0, len(rows), _BATCH_ROWS):
            some = rows[start : start + _BATCH_ROWS]
            batch = self.to_batch([row for _, row in some])
            deleted = pa.array([removed for removed, _ in some], pa.bool_())
            self.files.add(pa.RecordBatch.from_arrays([*batch.columns, deleted], names=staged.names))
        return self.finished()


def staged_schema(schema: Any) -> Any:
    """The Arrow schema of changes of rows."""
    import pyarrow as pa

    return pa.schema([each.with_nullable(True) for each in schema]).append(pa.field(DELETED, pa.bool_()))
