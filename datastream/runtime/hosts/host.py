"""Hosts: what runs an operator that needs more than one call a record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

from datastream.errors import NO_RECORD, cut
from datastream.graph import Operator
from datastream.runtime.keyed_state import KeyedStates
from datastream.runtime.pages import MeteredState, Store
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, TimeDomain

#: Timestamps of as many records, in ms; None for a record without one.
Times = list[int | None]

#: Records, and their timestamps where the operator's output is timed.
Out = tuple[list[Any], Times | None]

T = TypeVar("T")

#: Records that a host emits at a time at most when timers fire.
CHUNK = 4096


def system_clock() -> int:
    """The machine's time in ms."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Setting:
    """What a host should know of the job and its place in it.

    Attributes:
        max_parallelism: Number of key groups.
        timed: The output carries timestamps: a downstream operator may need them. If not, hosts emit None.
        batch: Batch mode: only final results, no watermark but the last.
        clock: Returns the machine's time in ms.
        check: What to do with values that do not fit a declared type: ``strict``, ``coerce`` or ``off``.
    """

    max_parallelism: int = 128
    timed: bool = True
    batch: bool = False
    clock: Callable[[], int] = system_clock
    check: str = "flink"


def chunks(parts: Iterable[list[T]]) -> Iterator[list[T]]:
    """The same records in lists of `CHUNK`, the last one shorter."""
    waiting: list[T] = []
    for part in parts:
        waiting += part
        if len(waiting) >= CHUNK:
            last = len(waiting) // CHUNK * CHUNK
            yield from (waiting[start : start + CHUNK] for start in range(0, last, CHUNK))
            waiting = waiting[last:]
    if waiting:
        yield waiting


class TimerInHand(NamedTuple):
    """What stands for the record in an error message when a timer fires.

    Attributes:
        key: Whose timer it is.
        time: What it was set for, in ms.
    """

    key: Any
    time: int

    def __repr__(self) -> str:
        return f"timer of key {cut(self.key)} at {self.time}"


class Host:
    """Runs one operator in one subtask. Lives as long as the operator's functions; `begin` and `flush` are an epoch.

    An epoch that fails may end anywhere; `begin` must not care.

    Args:
        op: The operator.
        setting: Of the job.

    Attributes:
        record: The record in hand when a function raised, for the error message; `NO_RECORD`: there is none.
        what: The function that raised, as people know it; None: the operator's own.
        states: Keyed states, whose handles functions get in ``open``; None for operators without.
        watermark: Event time so far, in ms.
        awaits_event_time: Something waits for event time to go on; known at the end of an epoch.
        refuses_others: `refuse_others` may refuse something.
    """

    states: KeyedStates | None = None
    refuses_others: ClassVar[bool] = False
    awaits_event_time = False

    def __init__(self, op: Operator, setting: Setting) -> None:
        self.op = op
        self.setting = setting
        self.record: Any = NO_RECORD
        self.what: str | None = None
        self.watermark = MIN_WATERMARK

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        """Begin an epoch.

        Args:
            store: Where state lives; None for operators without.
            groups: The key groups of this subtask.
            watermark: Event time at the end of the last epoch, in ms.
        """
        self.record, self.what = NO_RECORD, None
        self.watermark = watermark

    def refuse_others(self, content: dict[Any, Any]) -> None:
        """Refuse what an operator of another kind has kept of a key.

        Raises:
            ValidationError: There is such a thing.
        """

    def untimed(self, records: list[Any]) -> Out:
        """Results without timestamps."""
        return records, [None] * len(records) if self.setting.timed else None

    def pages(self) -> Sequence[MeteredState]:
        """Where its keyed state is."""
        return [] if self.states is None else self.states.pages()

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        """Run records of one input.

        Args:
            side: Which input, from 0, in the order in which the API call names them.
            records: The records.
            keys: Their keys, if they come by key.
            times: Their timestamps, if they carry any.
        """
        raise NotImplementedError

    def advance(self, watermark: int) -> Iterator[Out]:
        """Event time went on to a higher watermark, in ms: fire what is due."""
        self.watermark = watermark
        return iter(())

    def drain(self) -> Iterator[Out]:
        """Give what is still under way: the epoch ends."""
        return iter(())

    def drain_before(self, watermark: int) -> Iterator[Out]:
        """Give what is under way and must come before a watermark, in ms, that is about to pass. Default: all."""
        return self.drain()

    def tick(self, now: int) -> Iterator[Out]:
        """Fire what is due by the machine's clock, in ms. Called at the start of each epoch and before its end."""
        return iter(())

    def end(self) -> Iterator[Out]:
        """The input has ended, and the last watermark has come: give what is left to give."""
        return iter(())

    def flush(self) -> int | None:
        """Write state back: the epoch ends.

        Returns:
            When the next timer of processing time is due, in ms, or None.
        """
        return None


class KeyedHost(Host):
    """A host with keyed states and timers."""

    def __init__(self, op: Operator, setting: Setting) -> None:
        super().__init__(op, setting)
        self.states: KeyedStates = KeyedStates(setting.clock)

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self.states.begin(store, self.op.state_uid, self.setting.max_parallelism, groups)
        self.states.timers.watermark = watermark

    def advance(self, watermark: int) -> Iterator[Out]:
        self.watermark = self.states.timers.watermark = watermark
        return self.fire(TimeDomain.EVENT_TIME, watermark)

    def tick(self, now: int) -> Iterator[Out]:
        return self.fire(TimeDomain.PROCESSING_TIME, now)

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        """Run what timers at a time or before it start, in chunks."""
        raise NotImplementedError

    def end(self) -> Iterator[Out]:
        """In batch mode the clock comes to its end too; else timers of processing time are dropped, as in Flink."""
        return self.fire(TimeDomain.PROCESSING_TIME, MAX_WATERMARK) if self.setting.batch else iter(())

    def flush(self) -> int | None:
        due = self.states.flush()
        self.awaits_event_time = self.states.awaits_event_time
        return due
