"""The fields of records."""

from __future__ import annotations

from typing import Any

from datastream.types import Row


def fields_of(record: Any) -> tuple[Any, ...]:
    """The fields of a record: of a `Row`, a tuple, a list, or any other object as one field."""
    if isinstance(record, (Row, tuple, list)):
        return tuple(record)
    return (record,)
