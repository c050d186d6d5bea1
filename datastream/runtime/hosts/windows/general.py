"""Any window operation, as Flink's `WindowOperator` and `EvictingWindowOperator` define it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from datastream.errors import ValidationError
from datastream.graph import operators
from datastream.graph.slots import EVENT_TIMERS, PROCESSING_TIMERS, WINDOWS
from datastream.runtime.hosts.host import CHUNK, Out, Setting, Times
from datastream.runtime.keyed_state import apart, detached
from datastream.time import MAX_WATERMARK, NO_TIMESTAMP, TimeDomain
from datastream.windows import TimestampedValue, TriggerResult, Window
from datastream.windows.time_windows import MergingTimeWindows

from .base import WindowHostBase
from .contexts import AssignerContext, Merges, TriggerContext
from .window_keys import codec
from .window_timers import WindowTimers

# A window of a key is a pair: a list with its accumulator, empty if nothing is in the window (with an evictor: the list
# of its `TimestampedValue`s); and the states of its trigger.
_Entry = tuple[list[Any], dict[Any, Any]]


class WindowHost(WindowHostBase):
    """Calls the assigner, the trigger and the evictor for each record."""

    _shares = True

    def __init__(self, op: operators.Window, setting: Setting) -> None:
        super().__init__(op, setting, WINDOWS, EVENT_TIMERS, PROCESSING_TIMERS)
        operation = self.operation
        self._assigner: Any = operation.assigner
        merging = getattr(type(self._assigner), "merge_windows", None)
        self._touching = merging is MergingTimeWindows.merge_windows
        self._trigger = operation.effective_trigger
        self._evictor = operation.evictor
        self._merging = operation.merging
        self._encode, self._decode = codec(operation.assigner.get_window_serializer())
        self._assigner_context = AssignerContext(self.states, operation)
        self._context = TriggerContext(self.states, operation)
        self._timers = WindowTimers(self.states)
        self._event = self._domain is TimeDomain.EVENT_TIME
        self._out: list[Any] = []
        self._times: list[int | None] = []
        self._record: Any = None

    # -- records -----------------------------------------------------------------------------------------

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self.states.load(keys)
        self._out, self._times = [], []
        self._context.sets_processing_timers = True
        name = type(self._assigner).__name__
        assign, context = self._assigner.assign_windows, self._assigner_context
        for key, record, time in zip(keys, records, times or [None] * len(records), strict=True):
            self._record = record
            content = self._point(key)
            self.refuse_others(content)
            timestamp = NO_TIMESTAMP if time is None else time
            assigned = self._run(name, assign, record, timestamp, context)
            skipped = True
            for window in assigned:
                if self._merging:
                    window = self._merged(content, window)
                at = self._encode(window)
                if self._event and self._cleanup_time(window) <= self.watermark:
                    content.get(WINDOWS, {}).pop(at, None)
                    continue
                skipped = False
                self._add(content, at, window, record, time, len(assigned) > 1)
            if WINDOWS in content and not content[WINDOWS]:
                del content[WINDOWS]
            if skipped and self._event and timestamp + self._lateness <= self.watermark:
                self._late(record, time, self._out, self._times)
        self.states.cell.leave()
        out = detached(self._out, [self.states.values[key] for key in set(keys)]) if self._out else []
        return out, self._times if self.setting.timed else None

    def _add(
        self,
        content: dict[Any, Any],
        at: Any,
        window: Window,
        record: Any,
        time: int | None,
        shared: bool,
    ) -> None:
        windows = content.setdefault(WINDOWS, {})
        entry: _Entry = windows.setdefault(at, ([], {}))
        inside, trigger_states = entry
        folding = self._folding
        if self._evictor is not None:
            inside.append(TimestampedValue(record, time))
        else:
            try:
                if inside:
                    inside[0] = folding.add(inside[0], record)
                else:
                    inside.append(folding.first(apart(record) if shared and folding.adds_to_records else record))
            except BaseException:
                self.note_failure(record, folding.adding)
                raise
        self._context.point(at, trigger_states)
        timestamp = NO_TIMESTAMP if time is None else time
        decided = self._call_trigger("on_element", self._trigger.on_element, record, timestamp, window, self._context)
        self._act(decided, entry, at, window)
        if not self._merging and not inside and not trigger_states:
            windows.pop(at, None)
        cleanup = self._cleanup_time(window)
        if cleanup < MAX_WATERMARK:
            self._timers.set(self._domain, cleanup, at)

    # -- windows that merge ------------------------------------------------------------------------------

    def _merged(self, content: dict[Any, Any], new: Window) -> Window:
        """Add a window to the key's, join those that become one, and return the one that holds the new one."""
        windows: dict[Any, _Entry] = content.setdefault(WINDOWS, {})
        merges = Merges()
        if self._touching:  # those are enough: the others do not touch each other
            start, end = self._encode(new)
            there = [self._decode(at) for at in windows if at[0] <= end and at[1] >= start]
        else:
            there = [self._decode(at) for at in windows]
        self._run(type(self._assigner).__name__, self._assigner.merge_windows, [*there, new], merges)
        result = new
        for members, covering in merges.found:
            if new in members:
                result = covering
            named = {self._encode(window): window for window in members}  # which may name one of them twice
            old = [window for at, window in named.items() if at in windows]
            if old != [covering]:  # else the new window lies inside an old one, which stays as it is
                self._merge(windows, old, covering)
        windows.setdefault(self._encode(result), ([], {}))
        return result

    def _merge(self, windows: dict[Any, _Entry], old: list[Window], covering: Window) -> None:
        now = self.watermark - self._lateness if self._event else self.setting.clock()
        if covering.max_timestamp() <= now:
            raise ValidationError(
                f"{type(self._assigner).__name__} made {covering} of {len(old)} windows, which has ended already: the "
                "windows of a merging assigner must not become shorter by merging."
            )
        at, context, trigger = self._encode(covering), self._context, self._trigger
        entry: _Entry = windows.get(at, ([], {}))
        context.merged = [windows[self._encode(window)][1] for window in old]
        context.point(at, entry[1])
        self._call_trigger("on_merge", trigger.on_merge, covering, context)
        inside: list[Any] = []
        for window in old:
            old_at = self._encode(window)
            old_inside, old_states = windows[old_at]
            context.point(old_at, old_states)
            self._call_trigger("clear", trigger.clear, window, context)
            self._timers.delete(self._domain, self._cleanup_time(window), old_at)
            del windows[old_at]
            if self._evictor is not None:
                inside += old_inside
            elif inside and old_inside:
                inside[0] = self._run(self._folding.joining, self._folding.join, inside[0], old_inside[0])
            else:
                inside = inside or old_inside
        windows[at] = inside, entry[1]

    # -- timers ------------------------------------------------------------------------------------------

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        self._out, self._times = [], []
        contents = []
        for timestamp, key in self.states.fire(domain, time):
            self._record = key
            content = self.states.cell.content
            self.refuse_others(content)
            for at in self._timers.take(domain, timestamp):
                self._on_timer(domain, timestamp, content, at)
            if WINDOWS in content and not content[WINDOWS]:
                del content[WINDOWS]
            contents.append(content)
            if len(self._out) >= CHUNK:
                yield detached(self._out, contents), self._times if self.setting.timed else None
                self._out, self._times, contents = [], [], []
        if self._out:
            yield detached(self._out, contents), self._times if self.setting.timed else None

    def end(self) -> Iterator[Out]:
        # As in Flink's batch mode: else triggers that go on and on would never stop.
        self._context.sets_processing_timers = False
        return super().end()

    def _on_timer(self, domain: TimeDomain, time: int, content: dict[Any, Any], at: Any) -> None:
        windows: dict[Any, _Entry] = content.setdefault(WINDOWS, {})
        if self._merging and at not in windows:
            return  # the window has become part of another
        window = self._decode(at)
        entry: _Entry = windows.setdefault(at, ([], {}))
        context, trigger = self._context, self._trigger
        context.point(at, entry[1])
        if domain is TimeDomain.EVENT_TIME:
            decided = self._call_trigger("on_event_time", trigger.on_event_time, time, window, context)
        else:
            decided = self._call_trigger("on_processing_time", trigger.on_processing_time, time, window, context)
        self._act(decided, entry, at, window)
        if domain is self._domain and time == self._cleanup_time(window):
            entry[0].clear()
            context.point(at, entry[1])
            self._call_trigger("clear", trigger.clear, window, context)
            self._calling.clear(window, at)
            windows.pop(at, None)
        if not self._merging and not entry[0] and not entry[1]:
            windows.pop(at, None)

    def _cleanup_time(self, window: Window) -> int:
        return min(window.max_timestamp() + self._lateness, MAX_WATERMARK)

    # -- results -----------------------------------------------------------------------------------------

    def _act(self, decided: TriggerResult, entry: _Entry, at: Any, window: Window) -> None:
        fires, purges = decided.value
        if fires and entry[0]:
            if self._evictor is None:
                elements = self._run(self._folding.giving, self._folding.elements, entry[0][0])
                if elements:
                    self._give(window, at, elements, purges)
            else:
                self._evict_and_give(entry[0], at, window)
        if purges:
            entry[0].clear()

    def _evict_and_give(self, inside: list[TimestampedValue], at: Any, window: Window) -> None:
        assert self._evictor is not None
        name, context = type(self._evictor).__qualname__, self._context
        self._run(f"{name}.evict_before", self._evictor.evict_before, inside, len(inside), window, context)
        values = [element.value for element in inside]
        elements = self._run(self._folding.adding, self._folding.summary, values)
        if elements or not values:
            self._give(window, at, elements, True)
        self._run(f"{name}.evict_after", self._evictor.evict_after, inside, len(inside), window, context)

    def _give(self, window: Window, at: Any, elements: list[Any], theirs: bool) -> None:
        """Call the window function.

        Args:
            window: The window that fires.
            at: Its key among those of the key.
            elements: What the function sees.
            theirs: The list is not kept, so the function may change it.
        """
        if not theirs and self._folding.gathers:
            elements = elements.copy()
        given = self._calling.results(window, at, elements, self._record)
        self._out += given
        self._times += [window.max_timestamp()] * len(given)

    def _call_trigger(self, method: str, call: Callable[..., Any], *arguments: Any) -> Any:
        return self._run(f"{type(self._trigger).__qualname__}.{method}", call, *arguments)

    def _run(self, what: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the user's; when it raises, note which one it was."""
        try:
            return call(*arguments)
        except BaseException:
            self.note_failure(self._record, what)
            raise
