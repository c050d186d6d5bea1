"""`ListView` and `MapView`: collections in the accumulators of aggregate functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from datastream.types.elements import Elements

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class DataView(ABC):
    """A collection in an accumulator."""

    @abstractmethod
    def clear(self) -> None:
        """Remove everything."""


class ListView(DataView, Generic[T]):
    """A list in an accumulator of type `DataTypes.LIST_VIEW`."""

    def __init__(self) -> None:
        self._list: list[T] = []

    def get(self) -> Elements[T]:
        """The elements."""
        return Elements(self._list)

    def add(self, value: T) -> None:
        """Append an element."""
        self._list.append(value)

    def add_all(self, values: list[T]) -> None:
        """Append elements."""
        self._list.extend(values)

    def clear(self) -> None:
        self._list = []

    def __iter__(self) -> Iterator[T]:
        return iter(self._list)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListView) and list(self.get()) == list(other.get())

    def __hash__(self) -> int:
        return hash(tuple(self.get()))


class MapView(Generic[K, V], DataView):
    """A map in an accumulator of type `DataTypes.MAP_VIEW`."""

    def __init__(self) -> None:
        self._dict: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """The value of a key; None: there is none."""
        return self._dict.get(key)

    def put(self, key: K, value: V) -> None:
        """Set the value of a key."""
        self._dict[key] = value

    def put_all(self, dict_value: Mapping[K, V] | Iterable[tuple[K, V]]) -> None:
        """Set the values of keys."""
        self._dict.update(dict_value)

    def remove(self, key: K) -> None:
        """Remove a key."""
        self._dict.pop(key, None)

    def contains(self, key: K) -> bool:
        """Whether there is a key."""
        return key in self._dict

    def items(self) -> Elements[tuple[K, V]]:
        """Keys with their values."""
        return Elements(list(self._dict.items()))

    def keys(self) -> Elements[K]:
        """The keys."""
        return Elements(list(self._dict))

    def values(self) -> Elements[V]:
        """The values."""
        return Elements(list(self._dict.values()))

    def is_empty(self) -> bool:
        """Whether there is no key."""
        return not self._dict

    def clear(self) -> None:
        self._dict = {}

    def __getitem__(self, key: K) -> V:
        return self._dict[key]

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)

    def __contains__(self, key: Any) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self._dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapView) and dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))
