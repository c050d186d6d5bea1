"""Some columns of rows, and their bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from datastream.formats import SerializationSchema

INSERT, UPDATE_BEFORE, UPDATE_AFTER = 0, 1, 2

Pick = Callable[[Sequence[Any]], Sequence[Any]]


def picker(indexes: Sequence[int], count: int) -> Pick:
    """A function: a tuple of `count` values -> the values of these indexes."""
    if list(indexes) == list(range(count)):
        return same
    if len(indexes) > 1:
        return itemgetter(*indexes)
    return _One(indexes[0]) if indexes else _none


def same(row: Sequence[Any]) -> Sequence[Any]:
    """All values."""
    return row


def _none(row: Sequence[Any]) -> Sequence[Any]:
    return ()


class _One:
    def __init__(self, index: int) -> None:
        self._index = index

    def __call__(self, row: Sequence[Any]) -> Sequence[Any]:
        return (row[self._index],)


class PickedColumns(SerializationSchema):
    """Writes some columns of rows.

    Args:
        inner: Writes tuples of these columns.
        pick: Gives them of a row.
        upserts: Whether the rows' kind comes first, and only those that are added have bytes: others are
            tombstones.
    """

    def __init__(self, inner: SerializationSchema, pick: Pick, upserts: bool = False) -> None:
        self._inner, self._pick, self._upserts = inner, pick, upserts

    def serialize(self, value: Any) -> bytes:
        return self.serialize_block([value])[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        pick = self._pick
        if not self._upserts:
            return self._inner.serialize_block([pick(row) for row in values])
        added = [row[0] == INSERT or row[0] == UPDATE_AFTER for row in values]
        rows = [pick(row) for row, is_added in zip(values, added, strict=True) if is_added]
        made = iter(self._inner.serialize_block(rows))
        return [next(made) if is_added else None for is_added in added]  # type: ignore[misc]
