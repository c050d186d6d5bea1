"""How timestamps and watermarks come into a stream."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace

from datastream.errors import ValidationError, cut
from datastream.time.bounded_out_of_orderness import BoundedOutOfOrdernessWatermarks
from datastream.time.duration import Duration
from datastream.time.idleness import WatermarksWithIdleness
from datastream.time.no_watermarks import NoWatermarks
from datastream.time.timestamp_assigner import TimestampAssigner
from datastream.time.watermark_generator import WatermarkGenerator
from datastream.without_effect import without_effect


@dataclass(frozen=True)
class WatermarkStrategy:
    """Plain data; the `with_...` methods return a changed copy, the strategy itself stays as it is.

    Attributes:
        max_out_of_orderness: The watermark is the highest timestamp seen, less this, less 1 ms;
            None makes none, unless there is a `generator_supplier`.
        timestamp_assigner: Assigns each record its timestamp; None keeps the source's.
        idle_timeout: A split without records for so long no longer holds back the watermark;
            None never lets go of it.
        watermark_group: Sources of one group wait for each other; None waits for none.
        max_allowed_watermark_drift: How far a source of the group may run ahead.
        alignment_update_interval: How often the group compares its watermarks.
        generator_supplier: Makes the generator of a split, for watermarks of one's own.
        row_gap: Where set, as for tables, the watermark moves on after each record that moves it by more than this, so
            that the next one may be late; None: after each block of records.
        row_by_row: Each of these moves is reported, not only where it matters for a late record: the watermark is read.
    """

    max_out_of_orderness: Duration | None = None
    timestamp_assigner: TimestampAssigner | None = None
    idle_timeout: Duration | None = None
    watermark_group: str | None = None
    max_allowed_watermark_drift: Duration | None = None
    alignment_update_interval: Duration | None = None
    generator_supplier: Callable[[], WatermarkGenerator] | None = None
    row_gap: Duration | None = None
    row_by_row: bool = False

    @staticmethod
    def no_watermarks() -> WatermarkStrategy:
        """Return a strategy that makes no watermarks: for streams of processing time only."""
        return WatermarkStrategy()

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy:
        """Return a strategy for timestamps that never go down within a split."""
        return WatermarkStrategy(max_out_of_orderness=Duration(0))

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Duration) -> WatermarkStrategy:
        """Return a strategy for records that come at most so much later than younger ones.

        Raises:
            ValidationError: The bound is not a `Duration`, or negative.
        """
        _check_duration("max_out_of_orderness", max_out_of_orderness, least=0)
        return WatermarkStrategy(max_out_of_orderness=max_out_of_orderness)

    @staticmethod
    def for_generator(generator_supplier: Callable[[], WatermarkGenerator]) -> WatermarkStrategy:
        """Return a strategy with watermarks of one's own; Flink has it in Java, PyFlink does not.

        Args:
            generator_supplier: Returns a new `WatermarkGenerator`, one for each split: such as its class.

        Raises:
            ValidationError: The supplier cannot be called.
        """
        if not callable(generator_supplier):
            raise ValidationError(
                f"generator_supplier must return a WatermarkGenerator when called: got {cut(generator_supplier)}."
            )
        try:
            inspect.signature(generator_supplier).bind()
        except TypeError:
            raise ValidationError(
                f"generator_supplier is called without arguments, which {cut(generator_supplier)} does not take."
            ) from None
        except ValueError:  # a builtin without a signature
            pass
        return WatermarkStrategy(generator_supplier=generator_supplier)

    def create_watermark_generator(self, clock: Callable[[], int]) -> WatermarkGenerator:
        """Return a new generator for a split.

        Args:
            clock: Returns the time in ms, by which a split becomes idle.

        Raises:
            ValidationError: The supplier of the strategy gave something else.
        """
        generator: WatermarkGenerator
        if self.generator_supplier is not None:
            generator = self.generator_supplier()
            if not isinstance(generator, WatermarkGenerator):
                raise ValidationError(
                    f"the generator_supplier {cut(self.generator_supplier)} must return a WatermarkGenerator: "
                    f"got {cut(generator)}."
                )
        elif self.max_out_of_orderness is not None:
            generator = BoundedOutOfOrdernessWatermarks(self.max_out_of_orderness)
        else:
            generator = NoWatermarks()
        return generator if self.idle_timeout is None else WatermarksWithIdleness(generator, self.idle_timeout, clock)

    def with_timestamp_assigner(self, timestamp_assigner: TimestampAssigner) -> WatermarkStrategy:
        """Return the strategy with this assigner of timestamps; the stream that gets the strategy checks it."""
        return replace(self, timestamp_assigner=timestamp_assigner)

    def check_assigner(self) -> None:
        """
        Raises:
            ValidationError: The assigner of timestamps has no `extract_timestamp`.
        """
        assigner = self.timestamp_assigner
        if assigner is None:
            return
        if isinstance(assigner, type) or not callable(getattr(assigner, "extract_timestamp", None)):
            raise ValidationError(
                "timestamp_assigner must be an object of a subclass of TimestampAssigner, whose "
                "extract_timestamp(self, value, record_timestamp) returns the time in ms since 1970: "
                f"got {cut(assigner)}."
            )

    def with_idleness(self, idle_timeout: Duration) -> WatermarkStrategy:
        """Return the strategy with a time after which a silent split counts as idle.

        Raises:
            ValidationError: The time is not a `Duration`, or not above zero.
        """
        _check_duration("idle_timeout", idle_timeout, least=1)
        return replace(self, idle_timeout=idle_timeout)

    @without_effect("each epoch reads from all sources, up to its size; none waits for another")
    def with_watermark_alignment(
        self,
        watermark_group: str,
        max_allowed_watermark_drift: Duration,
        update_interval: Duration | None = None,
    ) -> WatermarkStrategy:
        """Return the strategy with its sources in a group that keeps their watermarks close.

        Args:
            watermark_group: The name of the group.
            max_allowed_watermark_drift: How far a source may run ahead of the slowest one.
            update_interval: How often the group compares its watermarks; default 1 s.

        Raises:
            ValidationError: One of the times is not a `Duration`, or out of range.
        """
        interval = Duration.of_seconds(1) if update_interval is None else update_interval
        _check_duration("max_allowed_watermark_drift", max_allowed_watermark_drift, least=0)
        _check_duration("update_interval", interval, least=1)
        return replace(
            self,
            watermark_group=watermark_group,
            max_allowed_watermark_drift=max_allowed_watermark_drift,
            alignment_update_interval=interval,
        )


def _check_duration(name: str, value: object, least: int) -> None:
    if not isinstance(value, Duration) or value.nanos < least:
        bound = "above zero" if least else "of zero or more"
        raise ValidationError(f"{name} must be a Duration {bound}, such as Duration.of_seconds(5): got {cut(value)}.")
