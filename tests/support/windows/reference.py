"""What a window operator gives, written straight from Flink's definition with plain dicts.

It is slow and small on purpose: the engine is tested against it. Where Flink leaves an order open it takes the one
that is easiest to say: timers of one time fire in the order they were set, and windows that become one put their
records in order of the windows' starts, those of the record that joined them last.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import ValidationError
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, NO_TIMESTAMP
from datastream.windows import (
    Evictor,
    MergingWindowAssigner,
    TimestampedValue,
    Trigger,
    TriggerResult,
    Window,
    WindowAssigner,
)
from tests.support.windows.reference_contexts import CLOCK, EVENT, AssignerContext, Context, Merges


@dataclass(frozen=True)
class Record:
    """A record of a key; timestamps are in ms."""

    key: Hashable
    value: Any
    timestamp: int | None = None


@dataclass(frozen=True)
class Watermark:
    """Event time goes on to `time`."""

    time: int


@dataclass(frozen=True)
class Clock:
    """Processing time goes on to `time`."""

    time: int


@dataclass(frozen=True)
class Result:
    """What a firing window gave: one of the values its function returned, and the timestamp it has."""

    key: Hashable
    window: Window
    value: Any
    timestamp: int


@dataclass
class Outcome:
    """Everything that came out: results, late records in order, and the windows that went away for good."""

    results: list[Result] = field(default_factory=list)
    late: list[Record] = field(default_factory=list)
    cleared: list[tuple[Hashable, Window]] = field(default_factory=list)

    def values(self) -> list[Any]:
        return [result.value for result in self.results]


def run(
    events: Iterable[Record | Watermark | Clock],
    assigner: WindowAssigner,
    trigger: Trigger | None = None,
    evictor: Evictor | None = None,
    allowed_lateness: int = 0,
    function: Callable[[Hashable, Window, list[Any]], Iterable[Any]] = lambda key, window, values: [tuple(values)],
) -> Outcome:
    """Give a window operator these events, and return what came out."""
    operator = ReferenceWindowOperator(assigner, trigger, evictor, allowed_lateness, function)
    for event in events:
        operator.feed(event)
    return operator.outcome


class ReferenceWindowOperator:
    """One subtask of a window operator, with all of its state in dicts by key and window."""

    def __init__(self, assigner, trigger, evictor, allowed_lateness, function) -> None:
        self.assigner = assigner
        self.trigger = assigner.get_default_trigger(None) if trigger is None else trigger
        self.evictor, self.allowed_lateness, self.function = evictor, allowed_lateness, function
        self.merging = isinstance(assigner, MergingWindowAssigner)
        if self.merging and not self.trigger.can_merge():
            raise ValidationError(f"{self.trigger} cannot merge windows.")
        self.watermark, self.now = MIN_WATERMARK, MIN_WATERMARK
        self.contents: dict[tuple[Hashable, Window], list[TimestampedValue]] = {}
        self.sessions: dict[Hashable, set[Window]] = {}
        self.trigger_state: dict[tuple[Hashable, Window], dict[str, Any]] = {}
        self.key_state: dict[Hashable, dict[str, Any]] = {}
        #: (EVENT or CLOCK, time, key, window), in the order they were set.
        self.timers: dict[tuple[str, int, Hashable, Window], None] = {}
        self.outcome = Outcome()

    def feed(self, event: Record | Watermark | Clock) -> None:
        if isinstance(event, Record):
            self._record(event)
        elif isinstance(event, Watermark) and event.time > self.watermark:
            self.watermark = event.time
            self._fire_timers(EVENT, event.time)
        elif isinstance(event, Clock) and event.time > self.now:
            self.now = event.time
            self._fire_timers(CLOCK, event.time)

    # A record

    def _record(self, record: Record) -> None:
        key, timestamp = record.key, NO_TIMESTAMP if record.timestamp is None else record.timestamp
        skipped = True
        for assigned in self.assigner.assign_windows(record.value, timestamp, AssignerContext(self, key)):
            window = self._merged(key, assigned) if self.merging else assigned
            if self._is_late(window):
                self.sessions.get(key, set()).discard(window)
                continue
            skipped = False
            self.contents.setdefault((key, window), []).append(TimestampedValue(record.value, record.timestamp))
            decided = self.trigger.on_element(record.value, timestamp, window, Context(self, key, window))
            self._act(decided, key, window)
            self._set_cleanup_timer(key, window)
        if skipped and self.assigner.is_event_time() and timestamp + self.allowed_lateness <= self.watermark:
            self.outcome.late.append(record)

    def _merged(self, key: Hashable, new: Window) -> Window:
        """Add a window to the key's, join those that become one, and return the one that holds the new one."""
        sessions = self.sessions.setdefault(key, set())
        merges = Merges()
        self.assigner.merge_windows([*sessions, new], merges)
        result = new
        for members, covering in merges.found:
            if new in members:
                result = covering
            old = [window for window in members if window in sessions]
            if old == [covering]:
                continue  # the new window lies inside an old one, which stays as it is
            self._refuse_late_merge(covering)
            self.trigger.on_merge(covering, Context(self, key, covering, old))
            joined: list[TimestampedValue] = []
            for window in old:
                self.trigger.clear(window, Context(self, key, window))
                self._delete_cleanup_timer(key, window)
                sessions.remove(window)
                joined += self.contents.pop((key, window), [])
            sessions.add(covering)
            if joined:
                self.contents[key, covering] = joined
        sessions.add(result)
        return result

    def _refuse_late_merge(self, window: Window) -> None:
        if self.assigner.is_event_time():
            assert window.max_timestamp() + self.allowed_lateness > self.watermark, "merged into the past"
        else:
            assert window.max_timestamp() > self.now, "merged into the past"

    # Timers

    def _fire_timers(self, domain: str, time: int) -> None:
        while due := [timer for timer in self.timers if timer[0] == domain and timer[1] <= time]:
            self._fire_timer(*min(due, key=lambda timer: timer[1]))

    def _fire_timer(self, domain: str, time: int, key: Hashable, window: Window) -> None:
        del self.timers[domain, time, key, window]
        if self.merging and window not in self.sessions.get(key, ()):
            return  # the window has become part of another
        on_time = self.trigger.on_event_time if domain == EVENT else self.trigger.on_processing_time
        self._act(on_time(time, window, Context(self, key, window)), key, window)
        if self.assigner.is_event_time() == (domain == EVENT) and time == self._cleanup_time(window):
            self.contents.pop((key, window), None)
            self.trigger.clear(window, Context(self, key, window))
            self.sessions.get(key, set()).discard(window)
            self.outcome.cleared.append((key, window))

    def _cleanup_time(self, window: Window) -> int:
        late = self.allowed_lateness if self.assigner.is_event_time() else 0
        return min(window.max_timestamp() + late, MAX_WATERMARK)

    def _set_cleanup_timer(self, key: Hashable, window: Window) -> None:
        if self._cleanup_time(window) < MAX_WATERMARK:  # a window without an end is never cleaned up
            self.timers.setdefault(self._cleanup_timer(key, window))

    def _delete_cleanup_timer(self, key: Hashable, window: Window) -> None:
        self.timers.pop(self._cleanup_timer(key, window), None)

    def _cleanup_timer(self, key: Hashable, window: Window) -> tuple[str, int, Hashable, Window]:
        return (EVENT if self.assigner.is_event_time() else CLOCK, self._cleanup_time(window), key, window)

    def _is_late(self, window: Window) -> bool:
        return self.assigner.is_event_time() and self._cleanup_time(window) <= self.watermark

    # Results

    def _act(self, decided: TriggerResult, key: Hashable, window: Window) -> None:
        if decided.is_fire() and (key, window) in self.contents:
            self._emit(key, window)
        if decided.is_purge():
            self.contents.pop((key, window), None)

    def _emit(self, key: Hashable, window: Window) -> None:
        elements = self.contents.pop((key, window))
        context = Context(self, key, window)
        if self.evictor is not None:
            self.evictor.evict_before(elements, len(elements), window, context)
        for value in self.function(key, window, [element.value for element in elements]):
            self.outcome.results.append(Result(key, window, value, window.max_timestamp()))
        if self.evictor is not None:
            self.evictor.evict_after(elements, len(elements), window, context)
        if elements:
            self.contents[key, window] = elements
