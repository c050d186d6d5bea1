"""What the reference operator gives to assigners, triggers and evictors: contexts and states over its dicts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from datastream.state import ReducingStateDescriptor, StateDescriptor
from datastream.windows import Evictor, MergingWindowAssigner, Trigger, Window, WindowAssigner

if TYPE_CHECKING:
    from tests.support.windows.reference import ReferenceWindowOperator

EVENT, CLOCK = "event", "clock"


class Merges(MergingWindowAssigner.MergeCallback):
    """Keeps what a merging assigner reports."""

    def __init__(self) -> None:
        self.found: list[tuple[list[Window], Window]] = []

    def merge(self, to_be_merged: Iterable[Window], merge_result: Window) -> None:
        self.found.append((list(to_be_merged), merge_result))


class Context(Trigger.OnMergeContext, Evictor.EvictorContext):
    """What triggers and evictors are told about one key and window."""

    def __init__(self, operator: ReferenceWindowOperator, key: Hashable, window: Window, merged=()) -> None:
        self._operator, self._key, self._window, self._merged = operator, key, window, merged

    def get_current_processing_time(self) -> int:
        return self._operator.now

    def get_current_watermark(self) -> int:
        return self._operator.watermark

    def get_metric_group(self) -> None:
        return None

    def register_processing_time_timer(self, time: int) -> None:
        self._operator.timers.setdefault((CLOCK, time, self._key, self._window))

    def register_event_time_timer(self, time: int) -> None:
        self._operator.timers.setdefault((EVENT, time, self._key, self._window))

    def delete_processing_time_timer(self, time: int) -> None:
        self._operator.timers.pop((CLOCK, time, self._key, self._window), None)

    def delete_event_time_timer(self, time: int) -> None:
        self._operator.timers.pop((EVENT, time, self._key, self._window), None)

    def get_partitioned_state(self, state_descriptor: StateDescriptor) -> DictState:
        states = self._operator.trigger_state
        return DictState(states, (self._key, self._window), state_descriptor)

    def merge_partitioned_state(self, state_descriptor: StateDescriptor) -> None:
        target = self.get_partitioned_state(state_descriptor)
        for window in self._merged:
            source = DictState(self._operator.trigger_state, (self._key, window), state_descriptor)
            if source.get() is not None:
                value = source.get()
                source.clear()
                target.add(value)


class DictState:
    """A value state or a reducing state in a dict: all that the triggers here need."""

    def __init__(self, states: dict[Any, dict[str, Any]], place: Hashable, descriptor: StateDescriptor) -> None:
        self._states, self._place, self._descriptor = states, place, descriptor

    def get(self) -> Any:
        return self._states.get(self._place, {}).get(self._descriptor.name)

    value = get

    def update(self, value: Any) -> None:
        self._states.setdefault(self._place, {})[self._descriptor.name] = value

    def add(self, value: Any) -> None:
        assert isinstance(self._descriptor, ReducingStateDescriptor)
        so_far = self.get()
        self.update(value if so_far is None else self._descriptor.get_reduce_function().reduce(so_far, value))

    def clear(self) -> None:
        cell = self._states.get(self._place, {})
        cell.pop(self._descriptor.name, None)
        if not cell:
            self._states.pop(self._place, None)


class AssignerContext(WindowAssigner.WindowAssignerContext):
    """What an assigner is told: the time, and the state of a key."""

    def __init__(self, operator: ReferenceWindowOperator, key: Hashable) -> None:
        self._operator, self._key = operator, key

    def get_current_processing_time(self) -> int:
        return self._operator.now

    def get_runtime_context(self) -> AssignerContext:
        return self

    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> DictState:
        return DictState(self._operator.key_state, self._key, state_descriptor)
