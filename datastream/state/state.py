"""What every state can do, and the states that things are added to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from datastream.missing_names import AdvisedNames

IN = TypeVar("IN")
OUT = TypeVar("OUT")


class State(AdvisedNames, ABC):
    """A part of what an operator remembers. On a keyed stream each key has its own."""

    @abstractmethod
    def clear(self) -> None:
        """Forget everything kept under the current key."""


class AppendingState(State, Generic[IN, OUT]):
    """Adds elements, and returns their aggregate."""

    @abstractmethod
    def get(self) -> OUT:
        """Return what the elements added so far amount to."""

    @abstractmethod
    def add(self, value: IN) -> None:
        """Add an element."""


class MergingState(AppendingState[IN, OUT]):
    """An `AppendingState` of which two can be made one, as session windows need it."""
