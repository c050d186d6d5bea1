"""What rows are ordered by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.codegen import SourceText
from datastream.types.ordering import NAN, nan_last


class Descending:
    """A value that is less than those that it is greater than. An int is written as itself, with the other sign."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Any) -> bool:
        less: bool = _ascending(other) < self.value
        return less

    def __gt__(self, other: Any) -> bool:
        greater: bool = self.value < _ascending(other)
        return greater

    def __eq__(self, other: object) -> bool:
        return bool(self.value == _ascending(other))

    __hash__ = None  # type: ignore[assignment]


def place_of(order: Sequence[tuple[int, bool, bool]]) -> Callable[[Any], tuple[Any, ...]]:
    """A function: row -> its place in an order.

    Args:
        order: For each key: index of the column, whether it ascends, whether NULL comes first.
    """
    code = SourceText(NAN=NAN, Descending=Descending, nan_last=nan_last)
    parts: list[str] = []
    with code.function("def place(row)"):
        for index, ascending, nulls_first in order:
            value = code.variable()
            code.line(f"{value} = row[{index}]")
            if ascending:
                there = f"{value} if {value} == {value} else NAN"
            else:
                there = f"-{value} if type({value}) is int else Descending(nan_last({value}))"
            parts += f"{value} is {'not ' if nulls_first else ''}None, ", f"0 if {value} is None else {there}, "
        code.line(f"return ({''.join(parts)})")
    place: Callable[[Any], tuple[Any, ...]] = code.compiled("place", "places in an order")
    return place


def _ascending(place: Any) -> Any:
    """The value that a descending one is made of."""
    return place.value if type(place) is Descending else -place
