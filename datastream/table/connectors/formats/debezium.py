"""What Debezium's messages say, in JSON and in Avro."""

from __future__ import annotations

from typing import Any

from .changes import AFTER, BEFORE, DELETE, INSERT

_ROWS = {
    "c": ((INSERT, "after"),),
    "r": ((INSERT, "after"),),
    "u": ((BEFORE, "before"), (AFTER, "after")),
    "d": ((DELETE, "before"),),
}


def rows_of(op: str | None) -> tuple[tuple[int, str], ...]:
    """The rows of a message: their kinds, and the fields that have them.

    Args:
        op: What happened: the field ``op``.

    Raises:
        ValueError: There is no such op.
    """
    found = None if op is None else _ROWS.get(op)
    if found is None:
        raise ValueError(f"the field 'op' must be 'c', 'r', 'u' or 'd', not {op!r}")
    return found


def message(comes: bool, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of ``before``, ``after`` and ``op`` of a message that is written."""
    return (None, row, "c") if comes else (row, None, "d")
