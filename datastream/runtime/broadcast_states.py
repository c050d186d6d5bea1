"""Broadcast states of one operator in one subtask: what its functions read and change them through."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, NoReturn

from datastream.errors import ValidationError, cut
from datastream.state import BroadcastState, MapStateDescriptor, ReadOnlyBroadcastState
from datastream.state.maps import Entries, as_dict
from datastream.types.elements import Elements
from datastream.types.pickles import dumps, loads

from .broadcast_map import BroadcastMap
from .keyed_state import all_fixed
from .pages import Store
from .state_format.layout import prefix_of


class View(ReadOnlyBroadcastState[Any, Any]):
    """What functions read a map through.

    Attributes:
        change: Whether what is read may be changed in place.
    """

    change = False

    def __init__(self, entries: BroadcastMap) -> None:
        self._map = entries

    def get(self, key: Any) -> Any:
        return self._map.part(key, self.change).get(key)

    def contains(self, key: Any) -> bool:
        return key in self._map.part(key)

    def items(self) -> Elements[tuple[Any, Any]]:
        return Elements([entry for part in self._map.parts(self.change) for entry in part.items()])

    def keys(self) -> Elements[Any]:
        return Elements(list(map(itemgetter(0), self.items())))

    def values(self) -> Elements[Any]:
        return Elements(list(map(itemgetter(1), self.items())))

    def is_empty(self) -> bool:
        return self._map.empty()


class ReadOnlyView(View):
    """The map for records of the other stream."""

    def get(self, key: Any) -> Any:  # what is called most
        whole = self._map.whole
        return (self._map.part(key) if whole is None else whole).get(key)

    def clear(self) -> None:
        _refuse()

    def put(self, key: Any, value: Any) -> None:
        _refuse()

    def put_all(self, dict_value: Entries[Any, Any]) -> None:
        _refuse()

    def remove(self, key: Any) -> None:
        _refuse()

    __setitem__ = put
    __delitem__ = remove


class WritableView(View, BroadcastState[Any, Any]):
    """The map for broadcast records: a function that keeps it gets no further with it elsewhere."""

    change = True

    def __init__(self, entries: BroadcastMap, states: BroadcastStates) -> None:
        super().__init__(entries)
        self._states = states

    def put(self, key: Any, value: Any) -> None:
        self._writable().put(key, value)

    def put_all(self, dict_value: Entries[Any, Any]) -> None:
        entries = self._writable()
        for key, value in as_dict(dict_value).items():
            entries.put(key, value)

    def remove(self, key: Any) -> None:
        self._writable().part(key, True).pop(key, None)

    def clear(self) -> None:
        self._writable().clear()

    def _writable(self) -> BroadcastMap:
        if not self._states.writable:
            _refuse()
        return self._map


class BroadcastStates:
    """All broadcast states of an operator, for as long as the function that they serve lives.

    Args:
        descriptors: Those that were given to ``broadcast``.

    Attributes:
        writable: A broadcast record is being handled.
    """

    def __init__(self, descriptors: Iterable[MapStateDescriptor]) -> None:
        self._maps = {d.get_name(): BroadcastMap(d.get_name()) for d in descriptors}
        self._views = {name: ReadOnlyView(entries) for name, entries in self._maps.items()}
        self._writable_views = {name: WritableView(entries, self) for name, entries in self._maps.items()}
        self.writable = False

    def begin(self, store: Store | None, uid: str) -> None:
        """Begin an epoch.

        Args:
            store: Where entries live.
            uid: Names the operator.
        """
        self.writable = False
        prefix = prefix_of(uid)
        for entries in self._maps.values():
            entries.begin(store, prefix)

    def flush(self) -> None:
        """End the epoch: write what was changed."""
        for entries in self._maps.values():
            entries.flush()

    def read_only(self, descriptor: MapStateDescriptor) -> ReadOnlyBroadcastState[Any, Any]:
        """The state of a descriptor, to read."""
        try:
            return self._views[descriptor.name]
        except (AttributeError, KeyError):
            raise self._unknown(descriptor) from None

    def to_change(self, descriptor: MapStateDescriptor) -> BroadcastState[Any, Any]:
        """The state of a descriptor, to read and change."""
        try:
            return self._writable_views[descriptor.name]
        except (AttributeError, KeyError):
            raise self._unknown(descriptor) from None

    def detached(self, records: list[Any]) -> list[Any]:
        """The records, as copies where they could be, or hold, objects that a state keeps."""
        if not any([entries.loose for entries in self._maps.values()]) or all_fixed(records):
            return records
        copies: list[Any] = loads(dumps(records))
        return copies

    def _unknown(self, descriptor: Any) -> ValidationError:
        known = ", ".join(f"'{name}'" for name in self._views)
        found = f"'{descriptor.name}'" if isinstance(descriptor, MapStateDescriptor) else cut(descriptor)
        return ValidationError(
            f"get_broadcast_state needs a MapStateDescriptor that was given to broadcast(): got {found}, and there "
            f"were {known}; add it to stream.broadcast(...)"
        )


def _refuse() -> NoReturn:
    raise ValidationError(
        "broadcast state can be changed in process_broadcast_element only: so every subtask makes the same changes"
    )
