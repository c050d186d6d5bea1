"""What map states and broadcast states have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Generic, TypeVar

from datastream.state.state import State
from datastream.types.elements import Elements

K = TypeVar("K")
V = TypeVar("V")


#: What `put_all` takes: a dict, or pairs of a key and a value.
Entries = Mapping[K, V] | Iterable[tuple[K, V]]


def as_dict(entries: Entries[K, V]) -> dict[K, V]:
    """The entries as a dict; the last one of a key counts."""
    return entries if isinstance(entries, dict) else dict(entries)


class ReadableMap(State, Generic[K, V]):
    """A map that can be read, with ``state[key]``, ``key in state`` and ``for key in state`` too."""

    _remedies: ClassVar[dict[str, str]] = {"set": "call put(key, value)", "update": "call put_all(values)"}

    @abstractmethod
    def get(self, key: K) -> V | None:
        """Return the value of a map key, or None when there is none."""

    @abstractmethod
    def contains(self, key: K) -> bool:
        """Return whether a map key is there."""

    @abstractmethod
    def items(self) -> Elements[tuple[K, V]]:
        """Return all (key, value) pairs; see `Elements`."""

    @abstractmethod
    def keys(self) -> Elements[K]:
        """Return all map keys."""

    @abstractmethod
    def values(self) -> Elements[V]:
        """Return all values."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Return whether the map has no entries."""

    def __getitem__(self, key: K) -> V | None:
        return self.get(key)

    def __contains__(self, key: K) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())


class WritableMap(ReadableMap[K, V]):
    """A map that can be changed, with ``state[key] = value`` and ``del state[key]`` too."""

    @abstractmethod
    def put(self, key: K, value: V) -> None:
        """Set the value of a map key."""

    @abstractmethod
    def put_all(self, dict_value: Entries[K, V]) -> None:
        """Set the values of many map keys.

        Args:
            dict_value: A dict, or pairs of a key and its value, as PyFlink takes them.
        """

    @abstractmethod
    def remove(self, key: K) -> None:
        """Take a map key out, if it is there."""

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)
