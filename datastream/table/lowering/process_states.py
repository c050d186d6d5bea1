"""The states of a process table function, in the keyed state of its operator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from datastream.errors import TypeMismatch
from datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    StateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.table.codegen.inside_types import inside_type
from datastream.table.functions.data_view import ListView, MapView
from datastream.table.functions.process_signature import StateEntry
from datastream.table.types.logical_types import ListViewType, MapViewType
from datastream.table.types.row_type import RowType
from datastream.table.types.values import Origin, row_to_inside, row_to_python
from datastream.time import Time
from datastream.types import Types
from datastream.types.elements import Elements
from datastream.types.row import row_factory


class PartitionState(Protocol):
    """A state of the partition in hand."""

    def load(self) -> Any:
        """What a call gets."""

    def store(self) -> None:
        """Keep what the call has made of it."""

    def clear(self) -> None:
        """Make it what it is at first."""


def partition_state(entry: StateEntry, context: Any, ttl_ms: int, zone: str) -> PartitionState:
    """A declared state, in an operator's keyed state.

    Args:
        entry: The declaration.
        context: The operator's runtime context.
        ttl_ms: How long it is kept after it was written; 0: for good.
        zone: The session's time zone.
    """
    kind = entry.type
    if isinstance(kind, ListViewType):
        elements = ListStateDescriptor(entry.name, kind.element_type.to_type_info())
        return _ViewState(StoredListView(context.get_list_state(_expiring(elements, ttl_ms))))
    if isinstance(kind, MapViewType):
        types = kind.key_type.to_type_info(), kind.value_type.to_type_info()
        entries = MapStateDescriptor(entry.name, *types)
        return _ViewState(StoredMapView(context.get_map_state(_expiring(entries, ttl_ms))))
    assert isinstance(kind, RowType)
    types_inside = [inside_type(each) for each in kind.field_types()]
    value = ValueStateDescriptor(entry.name, Types.ROW_NAMED(kind.names, types_inside))
    return _RowState(context.get_state(_expiring(value, ttl_ms)), entry, kind, ttl_ms, zone)


def _expiring(descriptor: StateDescriptor, ttl_ms: int) -> Any:
    if ttl_ms:
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.milliseconds(ttl_ms)).build())
    return descriptor


class _RowState:
    """A row, or an object with its fields. The values are kept in the form that they have inside of plans."""

    def __init__(self, state: Any, entry: StateEntry, kind: RowType, ttl_ms: int, zone: str) -> None:
        self._state, self._name, self._names = state, entry.name, kind.names
        self._make, self._new_row = entry.make, row_factory(kind.names)
        self._to_python = row_to_python(kind)
        self._to_inside = row_to_inside(kind, ZoneInfo(zone), entry.name, Origin.GIVEN)
        self._expires = bool(ttl_ms)
        self._object: Any = None
        self._before: tuple[Any, ...] | None = None

    def load(self) -> Any:
        stored = self._state.value()
        self._before = None if stored is None else tuple(stored)
        if self._before is None:
            self._object = self._new_row([None] * len(self._names)) if self._make is None else self._make()
        else:
            row = self._to_python(self._before)
            self._object = row if self._make is None else self._make(**dict(zip(self._names, row, strict=True)))
        return self._object

    def store(self) -> None:
        try:
            values = self._to_inside(self._object)
        except TypeMismatch as error:
            raise TypeMismatch(error.path, error.expected, error.value, "it was put into a state") from None
        if values != self._before or self._expires:
            self._state.update(self._new_row(list(values)))

    def clear(self) -> None:
        self._state.clear()


class _ViewState:
    """A list or a map, which is read and written where it lies."""

    def __init__(self, view: Any) -> None:
        self._view = view

    def load(self) -> Any:
        return self._view

    def store(self) -> None:
        pass

    def clear(self) -> None:
        self._view.clear()


class StoredListView(ListView[Any]):
    """A `ListView` in a list state."""

    def __init__(self, state: Any) -> None:
        self._state = state

    def get(self) -> Elements[Any]:
        return self._state.get()  # type: ignore[no-any-return]

    def add(self, value: Any) -> None:
        self._state.add(value)

    def add_all(self, values: list[Any]) -> None:
        self._state.add_all(values)

    def clear(self) -> None:
        self._state.clear()

    def __iter__(self) -> Any:
        return iter(self.get())


class StoredMapView(MapView[Any, Any]):
    """A `MapView` in a map state."""

    def __init__(self, state: Any) -> None:
        self._state = state

    def get(self, key: Any) -> Any:
        return self._state.get(key)

    def put(self, key: Any, value: Any) -> None:
        self._state.put(key, value)

    def put_all(self, dict_value: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> None:
        self._state.put_all(dict_value)

    def remove(self, key: Any) -> None:
        self._state.remove(key)

    def contains(self, key: Any) -> bool:
        return bool(self._state.contains(key))

    def items(self) -> Elements[tuple[Any, Any]]:
        return self._state.items()  # type: ignore[no-any-return]

    def keys(self) -> Elements[Any]:
        return self._state.keys()  # type: ignore[no-any-return]

    def values(self) -> Elements[Any]:
        return self._state.values()  # type: ignore[no-any-return]

    def is_empty(self) -> bool:
        return bool(self._state.is_empty())

    def clear(self) -> None:
        self._state.clear()

    def __getitem__(self, key: Any) -> Any:
        if not self.contains(key):
            raise KeyError(key)
        return self.get(key)

    def __iter__(self) -> Any:
        return iter(self.keys())
