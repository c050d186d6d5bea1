"""A map a key."""

from __future__ import annotations

from datastream.state.maps import K, V, WritableMap


class MapState(WritableMap[K, V]):
    """A map a key. Works with ``state[key]``, ``key in state``, ``del state[key]`` and ``for key in state`` too.

    Large maps are kept in pieces, which are read as keys are asked for or iterated; they are iterated in no
    particular order. Entries may be put and removed while the map is iterated; whether new ones are met is open.
    """
