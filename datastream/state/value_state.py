"""One value a key."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from datastream.state.state import State

T = TypeVar("T")


class ValueState(State, Generic[T]):
    """One value a key."""

    _remedies: ClassVar[dict[str, str]] = {
        "get": "call value()",
        "set": "call update(value)",
        "put": "call update(value)",
        "add": "call update(value)",
    }

    @abstractmethod
    def value(self) -> T | None:
        """Return the value, or None when there is none.

        The object returned is the one that is kept, as in Flink's heap state backend: what is changed in it is
        changed in the state, with or without `update`.
        """

    @abstractmethod
    def update(self, value: T | None) -> None:
        """Replace the value; None clears it."""
