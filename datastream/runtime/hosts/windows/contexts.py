"""What assigners, triggers and evictors can ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.runtime.keyed_state import KeyedStates
from datastream.runtime.keyed_state.lifetime import slot_of
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from datastream.time import TimeDomain
from datastream.windows import Evictor, MergingWindowAssigner, Trigger, WindowAssigner
from datastream.windows.operation import WindowOperation

from .calling import PartialCell
from .window_timers import WindowTimers


class Merges(MergingWindowAssigner.MergeCallback[Any]):
    """Keeps what a merging assigner reports."""

    def __init__(self) -> None:
        self.found: list[tuple[list[Any], Any]] = []

    def merge(self, to_be_merged: Iterable[Any], merge_result: Any) -> None:
        self.found.append((list(to_be_merged), merge_result))


class AssignerContext(WindowAssigner.WindowAssignerContext):
    """Gives the clock, and the runtime context that the operation was opened with."""

    def __init__(self, states: KeyedStates, operation: WindowOperation) -> None:
        self._states = states
        self._operation = operation

    def get_current_processing_time(self) -> int:
        return self._states.cell.clock()

    def get_runtime_context(self) -> Any:
        return self._operation.runtime_context or self._states


class TriggerContext(Trigger.OnMergeContext, Evictor.EvictorContext):
    """What triggers and evictors can ask about the key and window in hand.

    Attributes:
        at: The window's key among those of the key.
        merged: The states of the windows that become the one in hand, during `on_merge`.
        sets_processing_timers: Timers of processing time can be set; not in the calls at the end of input.
    """

    def __init__(self, states: KeyedStates, operation: WindowOperation) -> None:
        self._states = states
        self._operation = operation
        self._of_window = PartialCell(states)
        self._timers = WindowTimers(states)
        self._content: dict[Any, Any] = {}
        given = self._of_window.states
        self._getters: dict[type, Any] = {
            ValueStateDescriptor: given.get_state,
            ReducingStateDescriptor: given.get_reducing_state,
            AggregatingStateDescriptor: given.get_aggregating_state,
            ListStateDescriptor: given.get_list_state,
            MapStateDescriptor: given.get_map_state,
        }
        self.at: Any = None
        self.merged: list[dict[Any, Any]] = []
        self.sets_processing_timers = True

    def point(self, at: Any, content: dict[Any, Any]) -> None:
        """Put a window of the key in hand in hand, with the states of its trigger."""
        self.at = at
        self._content = content
        self._of_window.point(content)

    def get_current_processing_time(self) -> int:
        return self._states.cell.clock()

    def get_current_watermark(self) -> int:
        return self._states.timers.watermark

    def get_metric_group(self) -> Any:
        context = self._operation.runtime_context
        return None if context is None else context.get_metrics_group()

    def register_processing_time_timer(self, time: int) -> None:
        if self.sets_processing_timers:
            self._timers.set(TimeDomain.PROCESSING_TIME, time, self.at)

    def register_event_time_timer(self, time: int) -> None:
        self._timers.set(TimeDomain.EVENT_TIME, time, self.at)

    def delete_processing_time_timer(self, time: int) -> None:
        self._timers.delete(TimeDomain.PROCESSING_TIME, time, self.at)

    def delete_event_time_timer(self, time: int) -> None:
        self._timers.delete(TimeDomain.EVENT_TIME, time, self.at)

    def get_partitioned_state(self, state_descriptor: StateDescriptor) -> Any:
        getter = self._getters.get(type(state_descriptor))
        if getter is None:
            raise ValidationError(f"get_partitioned_state needs a StateDescriptor: got {cut(state_descriptor)}.")
        return getter(state_descriptor)

    def merge_partitioned_state(self, state_descriptor: StateDescriptor) -> None:
        state = self.get_partitioned_state(state_descriptor)
        target = self._content
        for source in self.merged:
            if isinstance(state_descriptor, AggregatingStateDescriptor):
                self._merge_accumulators(state_descriptor, source, target)
                continue
            self._of_window.point(source)
            value = state.get()
            state.clear()
            self._of_window.point(target)
            if isinstance(state_descriptor, ListStateDescriptor):
                state.add_all(value)
            elif value is not None:
                state.add(value)

    def _merge_accumulators(
        self, descriptor: AggregatingStateDescriptor, source: dict[Any, Any], target: dict[Any, Any]
    ) -> None:
        if descriptor.get_ttl_config() is not None:
            raise UnsupportedOperation(
                f"the aggregating state '{descriptor.get_name()}' of a trigger has a time to live and cannot be "
                "merged; use it without, as the state goes with its window"
            )
        slot = slot_of(descriptor)
        if slot in source:
            more = source.pop(slot)
            target[slot] = descriptor.get_agg_function().merge(target[slot], more) if slot in target else more
