"""State that all subtasks hold alike, made from a broadcast stream."""

from __future__ import annotations

from datastream.state.maps import K, ReadableMap, V, WritableMap


class ReadOnlyBroadcastState(ReadableMap[K, V]):
    """What the side that is not broadcast sees of it. Objects got from it must not be changed.

    Works with ``state[key]``, ``key in state`` and ``for key in state`` too.
    """


class BroadcastState(ReadOnlyBroadcastState[K, V], WritableMap[K, V]):
    """What the broadcast side may also change; it must make the same changes in every subtask."""
