"""Joins of records of a key whose times are near each other."""

from __future__ import annotations

from typing import TypeVar

from datastream.api.connected_streams import check_key_types, methods
from datastream.api.data_stream import DataStream, check_environment
from datastream.api.keyed_stream import KeyedStream
from datastream.api.step import node_of
from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.functions import OutputTag
from datastream.functions.process_join_function import ProcessJoinFunction
from datastream.graph.operators import KeyedCoProcess
from datastream.time import Duration, Time
from datastream.types import TypeInformation

from .interval_buffers import IntervalBuffers

S = TypeVar("S", bound="IntervalJoined")


class IntervalJoin:
    """Two keyed streams that are to be joined; `between` says how near the times must be.

    Args:
        left: The left stream.
        right: The right stream.

    Raises:
        ValidationError: the right one is not keyed, or the two are of two environments or keyed by two types.
    """

    def __init__(self, left: KeyedStream, right: KeyedStream) -> None:
        if not isinstance(right, KeyedStream):
            raise ValidationError(
                f"interval_join needs a stream that key_by made, got {cut(right)}; call key_by on it first"
            )
        check_environment("interval_join", left, right)
        check_key_types(left, right, "interval_join")
        self._left = left
        self._right = right

    def in_event_time(self) -> IntervalJoin:
        """Join by the records' timestamps, which is the only way there is."""
        return self

    def in_processing_time(self) -> IntervalJoin:
        """Not supported, as in Flink."""
        raise UnsupportedOperation("interval joins go by the records' timestamps; leave out in_processing_time()")

    def between(self, lower_bound: Time | Duration, upper_bound: Time | Duration) -> IntervalJoined:
        """Join a left and a right record when left's time + lower <= right's time <= left's time + upper.

        Args:
            lower_bound: The lower bound, to the ms; may be negative.
            upper_bound: The upper bound, to the ms; may be negative.

        Raises:
            ValidationError: the lower bound is above the upper one.
        """
        return IntervalJoined(self._left, self._right, _millis(lower_bound, "lower"), _millis(upper_bound, "upper"))


class IntervalJoined:
    """Two keyed streams and how near the times of a pair must be. Both bounds are inclusive unless set otherwise."""

    def __init__(self, left: KeyedStream, right: KeyedStream, lower: int, upper: int) -> None:
        if lower > upper:
            raise ValidationError(f"between needs a lower bound that is not above the upper one, got {lower}, {upper}")
        self._left = left
        self._right = right
        self._lower, self._upper = lower, upper
        self._lower_out = self._upper_out = False
        self._left_late: OutputTag | None = None
        self._right_late: OutputTag | None = None

    def lower_bound_exclusive(self: S) -> S:
        """Leave pairs out that are exactly the lower bound apart."""
        self._lower_out = True
        return self

    def upper_bound_exclusive(self: S) -> S:
        """Leave pairs out that are exactly the upper bound apart."""
        self._upper_out = True
        return self

    def side_output_left_late_data(self: S, output_tag: OutputTag) -> S:
        """Send left records below the watermark to a side output; default: they are dropped."""
        self._left_late = _tag(output_tag, "left")
        return self

    def side_output_right_late_data(self: S, output_tag: OutputTag) -> S:
        """Send right records below the watermark to a side output; default: they are dropped."""
        self._right_late = _tag(output_tag, "right")
        return self

    def process(self, func: ProcessJoinFunction, output_type: TypeInformation | None = None) -> DataStream:
        """Run a function for each pair; its results have the later timestamp of the two.

        Args:
            func: A `ProcessJoinFunction`.
            output_type: Declared type of the results.

        Raises:
            ValidationError: it is none, or nothing is left between exclusive bounds.
        """
        methods(func, ("process_element",), ("left", "right", "ctx"), "process", "a ProcessJoinFunction")
        lower, upper = self._lower + self._lower_out, self._upper - self._upper_out
        if lower > upper:
            raise ValidationError(
                f"nothing is between the bounds {self._lower} and {self._upper} ms without the bounds themselves"
            )
        left, right = node_of(self._left), node_of(self._right)
        node = left.builder.add(
            KeyedCoProcess,
            "Interval Join",
            [left, right],
            function=IntervalBuffers(func, lower, upper, self._left_late, self._right_late),
            instance=func,
            output_type=output_type,
            tested_first=True,
        )
        return DataStream(self._left.get_execution_environment(), node)


def _millis(bound: Time | Duration, which: str) -> int:
    if isinstance(bound, Duration):
        return bound.to_millis()
    if isinstance(bound, Time):
        return bound.to_milliseconds()
    raise ValidationError(f"the {which} bound of an interval join must be a Time or a Duration, got {cut(bound)}")


def _tag(output_tag: OutputTag, which: str) -> OutputTag:
    if not isinstance(output_tag, OutputTag):
        raise ValidationError(f"side_output_{which}_late_data needs an OutputTag, got {cut(output_tag)}")
    return output_tag
