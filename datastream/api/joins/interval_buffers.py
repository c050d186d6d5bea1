"""What an interval join runs: Flink's ``IntervalJoinOperator``, with both sides' records kept by time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from datastream.errors import ValidationError
from datastream.functions import OutputTag
from datastream.functions.process_join_function import ProcessJoinFunction
from datastream.state import KeyedStateStore, MapState, MapStateDescriptor
from datastream.time import NO_TIMESTAMP, TimerService
from datastream.types import Types

#: How many buckets an interval has. A record looks at all buckets that its interval meets, and a bucket is read,
#: written and dropped as a whole.
BUCKETS = 4


class JoinContext(ProcessJoinFunction.Context):
    """What the user's function can ask about a pair.

    Attributes:
        left: The left record's timestamp in ms.
        right: The right record's.
    """

    __slots__ = ("left", "right")

    left: int
    right: int

    def get_left_timestamp(self) -> int:
        return self.left

    def get_right_timestamp(self) -> int:
        return self.right

    def get_timestamp(self) -> int:
        return max(self.left, self.right)


class IntervalBuffers:
    """Joins each record with those of the other side that came before it, if their times are near enough.

    A pair is joined when left's time + lower <= right's time <= left's time + upper. Each side keeps its records in
    a map from a bucket, which is time // width, to a list of (time, record). A record that is not late has at least
    the watermark's time; a bucket goes when no such record can be joined with any of its own.

    Args:
        function: The user's function.
        lower: The lower bound in ms, itself in it.
        upper: The upper bound in ms, itself in it.
        left_late: Where left records go that come late; None drops them.
        right_late: Where right ones go.

    Attributes:
        result_times: The timestamps of what was given since the list was last emptied.
        late_dropped: How many late records were dropped since this was last set to 0.
    """

    method_names = ("process_element", "process_element")

    _left: MapState[int, list[tuple[int, Any]]]
    _right: MapState[int, list[tuple[int, Any]]]
    _timers: TimerService

    def __init__(
        self,
        function: ProcessJoinFunction,
        lower: int,
        upper: int,
        left_late: OutputTag | None = None,
        right_late: OutputTag | None = None,
    ) -> None:
        self._function = function.process_element
        self._lower, self._upper = lower, upper
        self._left_late, self._right_late = left_late, right_late
        self._width = max(1, (upper - lower + 1) // BUCKETS)
        self._left_stays, self._right_stays = max(upper, 0), max(-lower, 0)  # how long a record is waited for
        self._context = JoinContext()
        self.result_times: list[int | None] = []
        self.late_dropped = 0

    def attach(self, states: KeyedStateStore, timers: TimerService) -> None:
        """Take the operator's states and timers; the names are such as no user gives."""
        self._left, self._right = [
            states.get_map_state(MapStateDescriptor(name, Types.LONG(), Types.PICKLED_BYTE_ARRAY()))
            for name in ("left\0join", "right\0join")
        ]
        self._timers = timers

    def process_element1(self, left: Any, ctx: Any) -> Iterable[Any] | None:
        time = ctx.timestamp()
        if time == NO_TIMESTAMP or time < self._timers.current_watermark():
            return self._late(left, time, self._left_late)
        self._keep(self._left, left, time, self._left_stays)
        context, function, times = self._context, self._function, self.result_times
        context.left = time
        out: list[Any] = []
        for other, right in self._near(self._right, time + self._lower, time + self._upper):
            context.right = other
            if (results := function(left, right, context)) is not None:
                before = len(out)
                out += results
                times += [time if time > other else other] * (len(out) - before)
        return out

    def process_element2(self, right: Any, ctx: Any) -> Iterable[Any] | None:
        time = ctx.timestamp()
        if time == NO_TIMESTAMP or time < self._timers.current_watermark():
            return self._late(right, time, self._right_late)
        self._keep(self._right, right, time, self._right_stays)
        context, function, times = self._context, self._function, self.result_times
        context.right = time
        out: list[Any] = []
        for other, left in self._near(self._left, time - self._upper, time - self._lower):
            context.left = other
            if (results := function(left, right, context)) is not None:
                before = len(out)
                out += results
                times += [time if time > other else other] * (len(out) - before)
        return out

    def on_timer(self, timestamp: int, ctx: Any) -> None:
        """Drop the buckets whose last record is not waited for any more."""
        for state, stays in ((self._left, self._left_stays), (self._right, self._right_stays)):
            bucket, rest = divmod(timestamp - stays, self._width)
            if not rest:
                state.remove(bucket - 1)

    def _keep(self, state: MapState[int, list[tuple[int, Any]]], record: Any, time: int, stays: int) -> None:
        bucket = time // self._width
        entries = state.get(bucket)
        if entries is None:
            entries = []
            self._timers.register_event_time_timer((bucket + 1) * self._width + stays)
        entries.append((time, record))
        state.put(bucket, entries)

    def _near(self, state: MapState[int, list[tuple[int, Any]]], first: int, last: int) -> list[tuple[int, Any]]:
        """The (time, record) pairs from one time to another, both in."""
        low, high = first // self._width, last // self._width
        entries = state.items()
        buckets: Iterable[tuple[int, list[tuple[int, Any]]]] = entries
        if not entries.in_memory:
            buckets = [(bucket, state.get(bucket) or []) for bucket in range(low, high + 1)]
        return [
            entry for bucket, part in buckets if low <= bucket <= high for entry in part if first <= entry[0] <= last
        ]

    def _late(self, record: Any, time: int, tag: OutputTag | None) -> Iterable[Any] | None:
        if time == NO_TIMESTAMP:
            raise ValidationError(
                "an interval join needs records with timestamps: call assign_timestamps_and_watermarks on both "
                "streams before key_by"
            )
        if tag is None:
            self.late_dropped += 1
            return None
        self.result_times.append(time)
        return ((tag, record),)
