"""`SparkSink`: a function that gets the rows of each epoch as a DataFrame of Spark."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from os import PathLike
from typing import Any

from datastream.connectors.lakehouse.naming import staging_folder
from datastream.errors import ValidationError, cut
from datastream.formats.columnar.row_types import readable_row_type
from datastream.io import Committer, CommitterContext, Consumed, Sink, SinkWriter, WriterContext
from datastream.types import RowTypeInfo

from .committer import FramesCommitter
from .location import checked_location, folder_of
from .writer import FramesWriter, arrow_rows


class SparkSink(Sink):
    """Calls a function with the rows of each epoch as a DataFrame, as Spark's ``foreachBatch``. See `to_spark`.

    The function is called in the job's driver, for each epoch with rows, before the epoch is committed. If the driver
    or the function fails, it is called again, with the same rows and the same epoch. So a function that writes an epoch
    only once, by its number, is exactly once with a checkpoint directory; others are at least once.

    Tasks write the rows into Parquet files, which the DataFrame reads. They are removed once the function has returned.

    Args:
        function: Called with the DataFrame and the number of the epoch; what it returns is dropped.
        row_type: The rows: `Types.ROW_NAMED(...)`.
        location: Where the files lie: a folder that the driver and all workers reach by the same path. Default: a
            folder of the checkpoint directory.

    Raises:
        ValidationError: A value is not allowed, or Spark has no such type.
    """

    def __init__(
        self,
        function: Callable[[Any, int], object],
        row_type: Any,
        *,
        location: str | PathLike[str] | None = None,
    ) -> None:
        if not callable(function):
            raise ValidationError(f"SparkSink: expected a function of a DataFrame and an epoch, got {cut(function)}")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise ValidationError(
                f"SparkSink: {function.__qualname__} must be a plain function: a call of one with async or "
                "yield does nothing"
            )
        self.function: Any = function
        self.row_type: RowTypeInfo = readable_row_type(row_type, "SparkSink")
        arrow_rows(self.row_type)
        self.location = checked_location(location, "SparkSink")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "function": None}  # it stays in the driver

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=True)

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return FramesWriter(self._folder(context), self.row_type, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        return FramesCommitter(self._folder(context), context)

    def _folder(self, context: WriterContext | CommitterContext) -> str:
        return os.path.join(folder_of(self.location, context.spool), staging_folder(context.job_id, context.uid))
