"""What a row says about a table: the kind of its change."""

from __future__ import annotations

from enum import Enum

from datastream.stored_types import stored_as


@stored_as("row_kind")
class RowKind(Enum):
    """Kind of a change; printed as +I, -U, +U or -D."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    def __str__(self) -> str:
        return ("+I", "-U", "+U", "-D")[self.value]
