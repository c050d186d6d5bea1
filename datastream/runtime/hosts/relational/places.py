"""What rows are ordered by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.types.ordering import NAN


class Descending:
    """A value that is less than those that it is greater than."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Descending) -> bool:
        less: bool = other.value < self.value
        return less

    def __eq__(self, other: object) -> bool:
        return type(other) is Descending and self.value == other.value

    __hash__ = None  # type: ignore[assignment]


def place_of(order: Sequence[tuple[int, bool, bool]]) -> Callable[[Any], tuple[Any, ...]]:
    """A function: row -> its place in an order.

    Args:
        order: For each key: index of the column, whether it ascends, whether NULL comes first.
    """

    def place(row: Any) -> tuple[Any, ...]:
        found: list[Any] = []
        for index, ascending, nulls_first in order:
            value = row[index]
            if value != value:
                value = NAN
            null = value is None
            found.append(null is not nulls_first)
            found.append(0 if null else value if ascending else Descending(value))
        return tuple(found)

    return place
