"""Process functions of a stream, side 0, and a broadcast stream, side 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.functions import BroadcastProcessFunction, KeyedBroadcastProcessFunction
from datastream.graph.operators import BroadcastProcess, KeyedBroadcastProcess
from datastream.runtime.broadcast_states import BroadcastStates
from datastream.runtime.pages import Store
from datastream.runtime.pickled_keys import user_key
from datastream.state import BroadcastState, MapStateDescriptor, ReadOnlyBroadcastState, StateDescriptor
from datastream.time import NO_TIMESTAMP, TimeDomain

from .block_loop import block_loop
from .co_process import CoProcessHost, method_names
from .host import Host, KeyedHost, Out, Setting, Times
from .keyed_process import Context, KeyedProcessHost

_METHODS = ("process_element", "process_broadcast_element")


class _Times:
    """What all contexts give.

    Attributes:
        time: The timestamp of the record in hand in ms, or None.
    """

    def __init__(self, host: Host, states: BroadcastStates) -> None:
        self._host = host
        self._broadcast = states
        self.time: int | None = None

    def timestamp(self) -> int:
        return NO_TIMESTAMP if self.time is None else self.time

    def current_processing_time(self) -> int:
        return self._host.setting.clock()

    def current_watermark(self) -> int:
        return self._host.watermark


class _Reading(_Times, BroadcastProcessFunction.ReadOnlyContext):
    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastState[Any, Any]:
        return self._broadcast.read_only(state_descriptor)


class _Writing(_Times, BroadcastProcessFunction.Context):
    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState[Any, Any]:
        return self._broadcast.to_change(state_descriptor)


class BroadcastProcessHost(CoProcessHost):
    """Runs a `BroadcastProcessFunction`. Every subtask keeps the broadcast state that it made itself."""

    def __init__(self, op: BroadcastProcess, setting: Setting) -> None:
        Host.__init__(self, op, setting)
        self._broadcast = states = BroadcastStates(op.descriptors)
        self._contexts = _Reading(self, states), _Writing(self, states)
        self._elements = op.function.process_element, op.function.process_broadcast_element
        self._names = method_names(op, _METHODS)

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._broadcast.begin(store, self.op.state_uid)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        self._broadcast.writable = side == 1
        # What is given for a broadcast record must stay as it is, though the state changes later.
        out, out_times = self._run(side, records, times, copies=side == 1)
        return (self._broadcast.detached(out) if side == 0 else out), out_times

    def flush(self) -> int | None:
        self._broadcast.flush()
        return super().flush()


class _KeyedReading(Context, KeyedBroadcastProcessFunction.OnTimerContext):
    """For records of the keyed stream, and timers."""

    def __init__(self, host: KeyedHost, states: BroadcastStates) -> None:
        super().__init__(host.states)
        self._host = host
        self._broadcast = states

    def current_processing_time(self) -> int:
        return self._timers.current_processing_time()

    def current_watermark(self) -> int:
        return self._timers.watermark

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastState[Any, Any]:
        return self._broadcast.read_only(state_descriptor)


class _KeyedWriting(_Times, KeyedBroadcastProcessFunction.Context):
    """For broadcast records."""

    _host: KeyedBroadcastProcessHost

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState[Any, Any]:
        return self._broadcast.to_change(state_descriptor)

    def apply_to_keyed_state(self, state_descriptor: StateDescriptor, function: Any) -> None:
        """Run a function for each key of this subtask that has something in a state. Reads all keyed state.

        Args:
            state_descriptor: Of the state.
            function: (key, state) -> None, or a `KeyedStateFunction`.

        Raises:
            ValidationError: The function is neither.
        """
        process = getattr(function, "process", function)
        if not callable(process):
            raise ValidationError(
                "apply_to_keyed_state needs a function of (key, state), or a KeyedStateFunction with a method "
                f"process(key, state), got {cut(function)}"
            )
        self._host.apply(state_descriptor, process)


class KeyedBroadcastProcessHost(KeyedProcessHost):
    """Runs a `KeyedBroadcastProcessFunction`. Broadcast records have no key, and see no key's state."""

    def __init__(self, op: KeyedBroadcastProcess, setting: Setting) -> None:
        KeyedHost.__init__(self, op, setting)
        self._broadcast = BroadcastStates(op.descriptors)
        self._context = _KeyedReading(self, self._broadcast)
        self._element = op.function.process_element
        self._on_timer = op.function.on_timer
        self._names = method_names(op, _METHODS)
        self._writing = _KeyedWriting(self, self._broadcast)
        self._broadcast_element = op.function.process_broadcast_element
        self._where: tuple[Store | None, range] = None, range(0)

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._where = store, groups
        self._broadcast.begin(store, self.op.state_uid)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        try:
            if side == 0:
                out, out_times = super().process(side, records, keys, times)
            else:
                out, out_times = self._process_broadcast(records, times)
        except BaseException:
            self.what = self._names[side]
            raise
        return self._broadcast.detached(out), out_times

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        for out, times in super().fire(domain, time):
            yield self._broadcast.detached(out), times

    def flush(self) -> int | None:
        self._broadcast.flush()
        return super().flush()

    def apply(self, descriptor: StateDescriptor, function: Callable[[Any, Any], Any]) -> None:
        """Run a function for each stored key that has something in a state, a key group at a time.

        Each key group begins as an epoch does, with nothing loaded, so that memory holds one of them only.
        """
        states, cell = self.states, self.states.cell
        store, groups = self._where
        assert store is not None
        state = states.state_of(descriptor)
        for group in groups:
            self._restart(store, groups)
            keys = states.keys_with(descriptor, group)
            states.load(keys)
            for key in keys:
                cell.key, cell.content = key, states.values[key]
                function(user_key(key), state)
        self._restart(store, groups)

    def _restart(self, store: Store, groups: range) -> None:
        self.states.flush()
        self.states.begin(store, self.op.state_uid, self.setting.max_parallelism, groups)

    def _process_broadcast(self, records: list[Any], times: Times | None) -> Out:
        self.states.cell.leave()
        self._broadcast.writable = True
        loop = block_loop(False, times is not None, self.setting.timed, True)
        try:
            return loop(self, self._broadcast_element, self._writing, records, None, times)
        finally:
            self._broadcast.writable = False
