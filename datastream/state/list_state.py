"""A list a key."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, TypeVar

from datastream.state.state import MergingState
from datastream.types.elements import Elements

T = TypeVar("T")


class ListState(MergingState[T, Elements[T]]):
    """A list a key, in the order in which elements were added.

    `get` returns what the list is at that moment, as `Elements`, which read like a list: elements may be added, and the
    list cleared, while they are iterated. Long lists are kept in pieces that are read as they are iterated.
    """

    _remedies: ClassVar[dict[str, str]] = {"append": "call add(value)", "extend": "call add_all(values)"}

    @abstractmethod
    def update(self, values: list[T]) -> None:
        """Replace the list; an empty one clears it."""

    @abstractmethod
    def add_all(self, values: list[T]) -> None:
        """Add each of the values at the end."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.get())
