"""A list a key."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar, TypeVar

from datastream.state.state import MergingState

T = TypeVar("T")


class ListState(MergingState[T, Iterable[T]]):
    """A list a key, in the order in which elements were added.

    Long lists are kept in pieces that are read as they are iterated. `get` gives what the list is at that moment:
    elements may be added, and the list cleared, while it is iterated.
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
