"""State: its descriptors, how long it lives, and the interfaces that functions use.

Names and meanings are those of `pyflink.datastream.state`.
"""

from datastream.state.aggregating_states import AggregatingState, ReducingState
from datastream.state.broadcast_state import BroadcastState, ReadOnlyBroadcastState
from datastream.state.descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from datastream.state.list_state import ListState
from datastream.state.map_state import MapState
from datastream.state.state import AppendingState, MergingState, State
from datastream.state.stores import KeyedStateStore, OperatorStateStore
from datastream.state.ttl_config import StateTtlConfig
from datastream.state.value_state import ValueState

__all__ = [
    "AggregatingState",
    "AggregatingStateDescriptor",
    "AppendingState",
    "BroadcastState",
    "KeyedStateStore",
    "ListState",
    "ListStateDescriptor",
    "MapState",
    "MapStateDescriptor",
    "MergingState",
    "OperatorStateStore",
    "ReadOnlyBroadcastState",
    "ReducingState",
    "ReducingStateDescriptor",
    "State",
    "StateDescriptor",
    "StateTtlConfig",
    "ValueState",
    "ValueStateDescriptor",
]
