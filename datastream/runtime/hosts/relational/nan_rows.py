"""Rows with NaN in them: where rows are looked up, NaN equals NaN, as in Flink, which compares their bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import nan
from typing import Any

Row = tuple[Any, ...]


def has_nan(value: Any) -> bool:
    """Whether a value is NaN, or a row, array or map that holds it."""
    if isinstance(value, (tuple, list)):
        return any(map(has_nan, value))
    if isinstance(value, dict):
        return any(map(has_nan, value.items()))
    return bool(value != value)


def with_one_nan(value: Any) -> Any:
    """A value whose NaNs are one object, so that it equals others in tuples and has their hash."""
    if type(value) is float:
        return value if value == value else nan
    if isinstance(value, tuple):
        return tuple(map(with_one_nan, value))
    if isinstance(value, dict):
        return {with_one_nan(key): with_one_nan(each) for key, each in value.items()}
    return value


def find_row(rows: Sequence[Row], row: Row, start: int = 0) -> int | None:
    """The first place of a row, from a place on; None: it is not there."""
    try:
        return rows.index(row, start)
    except ValueError:
        return next((at for at in range(start, len(rows)) if _is_same(rows[at], row)), None) if has_nan(row) else None


def find_same(rows: Iterable[Row], row: Row) -> Row | None:
    """The one of some rows that is the same, where `row` has NaN in it."""
    return next((each for each in rows if _is_same(each, row)), None) if has_nan(row) else None


def _is_same(one: Row, other: Row) -> bool:
    return bool(with_one_nan(one) == with_one_nan(other))
