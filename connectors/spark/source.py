"""`SparkSource`: the rows of a DataFrame of Spark."""

from __future__ import annotations

from os import PathLike
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.columnar.row_types import readable_row_type
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator, Spool

from .batches import Batches
from .enumerator import BatchesEnumerator
from .location import checked_location, folder_of
from .reader import BatchesReader

_MODES = ("append", "update", "complete")


class SparkSource(Source):
    """Reads the rows of a DataFrame of Spark, which may be a stream, exactly once. See `from_spark`, which makes it.

    While the job runs, its driver runs a query of the DataFrame beside it, in the same Spark. The query writes rows as
    numbered batches of Parquet files, which the job reads in order. It has a checkpoint of its own beside them.

    Args:
        frame: A function that takes a `SparkSession` and returns the DataFrame; called in the driver, at each start of
            the job. Or a DataFrame, which does not outlive its Java process.
        row_type: The rows, whose fields are the columns: `Types.ROW_NAMED(...)`.
        bounded: Whether the DataFrame is no stream, or `available_now` is set.
        location: Where batches and the query's checkpoint lie: a folder that the driver and all workers reach by the
            same path. Default: a folder of the checkpoint directory; savepoints can be restored only with a location.
        trigger: The least time between two batches of a stream, such as ``10 seconds``. Default: none.
        available_now: Read what a stream has at the start, and end.
        output_mode: Of a stream: ``append``, ``update`` or ``complete``.
        retain_batches: How many batches that were read are kept, for jobs that go on from an older savepoint.

    Raises:
        ValidationError: A value is not allowed, or a column cannot be read.
    """

    def __init__(
        self,
        frame: Any,
        row_type: Any,
        *,
        bounded: bool,
        location: str | PathLike[str] | None = None,
        trigger: str | None = None,
        available_now: bool = False,
        output_mode: str = "append",
        retain_batches: int = 100,
    ) -> None:
        if not callable(frame) and not hasattr(frame, "isStreaming"):
            raise ValidationError(
                f"SparkSource: expected a DataFrame, or a function of a SparkSession that returns one, got {cut(frame)}"
            )
        if output_mode not in _MODES:
            raise ValidationError(
                f"SparkSource: output_mode must be one of {', '.join(_MODES)}, got {cut(output_mode)}"
            )
        if not isinstance(retain_batches, int) or retain_batches < 0:
            raise ValidationError(
                f"SparkSource: retain_batches must be an int of at least 0, got {cut(retain_batches)}"
            )
        if trigger is not None and not (isinstance(trigger, str) and trigger.strip()):
            raise ValidationError(f"SparkSource: trigger must be a text such as '10 seconds', got {cut(trigger)}")
        if trigger is not None and available_now:
            raise ValidationError("SparkSource: trigger is for a stream that goes on; leave it out with available_now")
        self.frame: Any = frame
        self.row_type = readable_row_type(row_type, "SparkSource")
        self.bounded = bounded
        self.location = checked_location(location, "SparkSource")
        self.trigger, self.available_now, self.output_mode = trigger, available_now, output_mode
        self.retain_batches = retain_batches
        self.grows = available_now

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "frame": None}  # it stays in the driver

    @property
    def produced(self) -> Produced:
        return Produced(self.row_type, exact=True)

    def batches(self, spool: Spool) -> Batches:
        """Where the batches are.

        Args:
            spool: The source's.
        """
        return Batches(folder_of(self.location, spool))

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return BatchesEnumerator(
            self.batches(context.spool), self.bounded, self.retain_batches, f"the source '{context.uid}'"
        )

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return BatchesReader(self.batches(context.spool).folder, self.row_type, context)
