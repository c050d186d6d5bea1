"""Process functions of two connected streams.

What such a host runs, `op.function`, has ``process_element1`` and ``process_element2``; where it stands for another
function, its `method_names` say what people know them as. Whose ``open`` and ``close`` are called, and who is named
in messages, is `op.instance`: the user's own object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, cast

from datastream.functions import CoProcessFunction, KeyedCoProcessFunction
from datastream.graph.operators import BroadcastProcess, CoProcess, KeyedBroadcastProcess, KeyedCoProcess
from datastream.runtime.pages import Store
from datastream.state import KeyedStateStore
from datastream.time import NO_TIMESTAMP, TimerService

from .block_loop import block_loop
from .host import Host, KeyedHost, Out, Setting, Times
from .keyed_process import Context, KeyedProcessHost
from .unkeyed_timers import UnkeyedTimers

_METHODS = ("process_element1", "process_element2")


class CoContext(CoProcessFunction.Context):
    """What a function can see of the record in hand.

    Attributes:
        time: Its timestamp in ms, or None.
    """

    __slots__ = ("_timers", "time")

    def __init__(self, timers: TimerService) -> None:
        self._timers = timers
        self.time: int | None = None

    def timestamp(self) -> int:
        return NO_TIMESTAMP if self.time is None else self.time

    def timer_service(self) -> TimerService:
        return self._timers


class CoProcessHost(Host):
    """Runs a `CoProcessFunction`, without keys."""

    def __init__(self, op: CoProcess, setting: Setting) -> None:
        super().__init__(op, setting)
        context: Any = CoContext(UnkeyedTimers(self, setting.clock))
        self._contexts = context, context
        self._elements = op.function.process_element1, op.function.process_element2
        self._names = method_names(op)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        return self._run(side, records, times, copies=False)

    def _run(self, side: int, records: list[Any], times: Times | None, copies: bool) -> Out:
        loop = block_loop(False, times is not None, self.setting.timed, copies)
        try:
            return loop(self, self._elements[side], self._contexts[side], records, None, times)
        except BaseException:
            self.what = self._names[side]
            raise


class KeyedCoContext(Context, KeyedCoProcessFunction.OnTimerContext):
    """What a function can see of the record or the timer in hand."""


class Joining(Protocol):
    """What an interval join has besides the two functions: it keeps state for itself, and knows its results' times.

    Attributes:
        result_times: Their timestamps, one a result, in ms.
        late_dropped: How many late records it has dropped.
    """

    result_times: Times
    late_dropped: int

    def attach(self, states: KeyedStateStore, timers: TimerService) -> None:
        """Take the operator's states and timers, before any ``open``."""


class KeyedCoProcessHost(KeyedProcessHost):
    """Runs a `KeyedCoProcessFunction`, whose two streams share the state and timers of a key; or an interval join."""

    def __init__(self, op: KeyedCoProcess, setting: Setting) -> None:
        KeyedHost.__init__(self, op, setting)
        function = op.function
        self._context = KeyedCoContext(self.states)
        self._on_timer = getattr(function, "on_timer", _no_timer)
        self._elements = function.process_element1, function.process_element2
        self._names = method_names(op)
        ours = function is not op.instance  # whatever a user's own function may have
        self._joining = cast(Joining, function) if ours and hasattr(function, "attach") else None
        if self._joining is not None:
            self._joining.attach(self.states, self.states.timers)

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        if self._joining is not None:
            self._joining.late_dropped = 0

    @property
    def late_dropped(self) -> int:
        """How many late records were dropped in this epoch."""
        return 0 if self._joining is None else self._joining.late_dropped

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        self._element = self._elements[side]
        joining = self._joining
        if joining is not None:
            joining.result_times.clear()
        try:
            out, out_times = super().process(side, records, keys, times)
        except BaseException:
            self.what = self._names[side]
            raise
        if joining is None or out_times is None:
            return out, out_times
        return out, joining.result_times.copy()


def method_names(
    op: CoProcess | BroadcastProcess | KeyedBroadcastProcess, methods: tuple[str, str] = _METHODS
) -> tuple[str, str]:
    """What people know the functions of the two inputs as."""
    if op.function is not op.rich_function:
        methods = getattr(op.function, "method_names", methods)
    first, second = methods
    owner = type(op.function if op.rich_function is None else op.rich_function).__qualname__
    return f"{owner}.{first}", f"{owner}.{second}"


def _no_timer(timestamp: int, context: Any) -> Iterator[Any]:
    return iter(())
