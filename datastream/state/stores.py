"""Where functions get their states from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from datastream.state.aggregating_states import AggregatingState, ReducingState
from datastream.state.broadcast_state import BroadcastState
from datastream.state.descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from datastream.state.list_state import ListState
from datastream.state.map_state import MapState
from datastream.state.value_state import ValueState


class KeyedStateStore(ABC):
    """Provides the states of a keyed stream. One object serves all keys: it always means the current one's."""

    @abstractmethod
    def get_state(self, state_descriptor: ValueStateDescriptor) -> ValueState[Any]:
        """Return the state of one value a key."""

    @abstractmethod
    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState[Any]:
        """Return the state of a list a key."""

    @abstractmethod
    def get_map_state(self, state_descriptor: MapStateDescriptor) -> MapState[Any, Any]:
        """Return the state of a map a key."""

    @abstractmethod
    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> ReducingState[Any]:
        """Return the state of an aggregate a key, of the elements' own type."""

    @abstractmethod
    def get_aggregating_state(self, state_descriptor: AggregatingStateDescriptor) -> AggregatingState[Any, Any]:
        """Return the state of an aggregate a key, of a type of its own."""


class OperatorStateStore(ABC):
    """Provides the states that belong to an operator as a whole and not to keys."""

    @abstractmethod
    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState[Any, Any]:
        """Return the broadcast state of that name."""
