"""What all hosts of windows have in common."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from datastream.graph.operators import Window
from datastream.graph.slots import EVENT_TIME, WINDOW_STATES
from datastream.runtime.hosts.host import KeyedHost, Setting
from datastream.runtime.pages import Store
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, TimeDomain
from datastream.windows.checks import require_timestamp

from .calling import Calling
from .folding import Folding, folding
from .slots import refuse_others

#: Lies before, or after, all times.
BEFORE_ALL = -(1 << 80)
BEHIND_ALL = 1 << 80


class WindowHostBase(KeyedHost):
    """Runs a `WindowOperation`: the operator's function.

    Attributes:
        late_dropped: How many late records were dropped in this epoch.
        late_by: How far the latest of them was behind the watermark, in ms.
    """

    refuses_others: ClassVar[bool] = True
    #: Whether an accumulator may be part of several windows.
    _shares = False

    def __init__(self, op: Window, setting: Setting, *slots: Hashable) -> None:
        super().__init__(op, setting)
        operation = op.operation
        self.operation = operation
        self.late_dropped = self.late_by = 0
        event = operation.assigner.is_event_time()
        self._domain = TimeDomain.EVENT_TIME if event else TimeDomain.PROCESSING_TIME
        self._lateness = operation.allowed_lateness if event else 0
        timers = self.states.timers
        self._register = timers.register_event_time_timer if event else timers.register_processing_time_timer
        self._folding: Folding = folding(operation.incremental, self.note_failure)
        self._folding.fires_again = self._lateness > 0 or operation.trigger is not None or self._shares
        self._calling = Calling(operation, self.states, self.note_failure)
        self._slots = frozenset({*(domain.value for domain in TimeDomain), WINDOW_STATES, *slots})

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self.late_dropped = self.late_by = 0
        self._calling.called = False

    def note_failure(self, record: Any, what: str) -> None:
        """Note where a function raised; the first note counts."""
        if self.what is None:
            self.record, self.what = record, what

    @property
    def fired(self) -> bool:
        """Whether the window function was called in this epoch; it may give nothing."""
        return self._calling.called

    def _point(self, key: Any) -> dict[Any, Any]:
        """Put a loaded key in hand."""
        cell = self.states.cell
        cell.key, cell.content = key, self.states.values[key]
        return cell.content

    def _register_end(self, last: int) -> None:
        """Set the timer of the key in hand for what is next to happen to a window: it fires, or is dropped.

        Args:
            last: The window's last ms.
        """
        if last > self.watermark or self._domain is TimeDomain.PROCESSING_TIME:
            self._register(last)
        elif last + self._lateness < MAX_WATERMARK:
            self._register(last + self._lateness)

    def _late(self, record: Any, time: int | None, out: list[Any], out_times: list[int | None]) -> None:
        if self.operation.late_tag is None:
            self.late_dropped += 1
            if time is not None and self.watermark - time > self.late_by:
                self.late_by = self.watermark - time
        else:
            out.append((self.operation.late_tag, record))
            out_times.append(time)

    def refuse_others(self, content: dict[Any, Any]) -> None:
        """Refuse what a window operator of another kind has kept of a key."""
        refuse_others(self.op, content, self._slots)

    def _refuse_without_time(self, records: list[Any], times: list[int | None]) -> None:
        """Raise the error of the first record without a timestamp, if there is one."""
        for record, time in zip(records, times, strict=True):
            if time is None or time <= MIN_WATERMARK:
                name = type(self.operation.assigner).__name__
                self.note_failure(record, name)
                require_timestamp(name, time)


class SlotHost(WindowHostBase):
    """A host that keeps everything of a key's windows in one slot of its content.

    Args:
        op: The operator.
        setting: Of the job.
        slot: Its name.

    Attributes:
        _opened: What the keys that were seen in this epoch have there, or will have once something is in it.
    """

    def __init__(self, op: Window, setting: Setting, slot: Hashable) -> None:
        super().__init__(op, setting, slot)
        self._slot = slot
        self._opened: dict[Any, Any] = {}

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._opened.clear()

    def _nothing(self) -> Any:
        """What a key without windows gets."""
        raise NotImplementedError

    def _open(self, keys: list[Any]) -> None:
        """Have these keys in `_opened`."""
        new = set(keys).difference(self._opened)
        if new:
            self.states.load(new)
            for key in new:
                kept = self._kept(key)
                if kept and self._domain is TimeDomain.EVENT_TIME:
                    self._find_reopened(key, kept, self.states.values[key].get(EVENT_TIME, ()))

    def _find_reopened(self, key: Any, kept: Any, timers: Sequence[int]) -> None:
        """Find windows of a key that have fired, and that the watermark has not passed.

        A job that starts from a savepoint has no watermark, as in Flink. Until there is one, records come in time that
        belong to windows whose results were given before. Such a window fires anew, so it needs a timer again.

        Args:
            key: The key.
            kept: What it has.
            timers: Of the key, in order.
        """

    def _kept(self, key: Any) -> Any:
        """What a loaded key has."""
        found = self._opened.get(key)
        if found is None:
            content = self.states.values[key]
            found = content.get(self._slot)
            if found is None:
                self.refuse_others(content)
                found = self._nothing()
            self._opened[key] = found
        return found
