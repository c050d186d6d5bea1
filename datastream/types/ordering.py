"""The order of values in SQL: NaN is the greatest, and equals NaN."""

from __future__ import annotations

from typing import Any


class _NaN:
    """The place of NaN: after all others."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return False

    def __gt__(self, other: object) -> bool:
        return type(other) is not _NaN

    def __eq__(self, other: object) -> bool:
        return type(other) is _NaN

    __hash__ = None  # type: ignore[assignment]


NAN = _NaN()


def nan_last(value: Any) -> Any:
    """What orders a value among others."""
    return value if value == value else NAN
