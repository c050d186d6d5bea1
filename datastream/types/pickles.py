"""Values as bytes, for any Python object."""

from __future__ import annotations

import pickle
from typing import Any

import cloudpickle


class NotPicklableError(Exception):
    """A record cannot be pickled. The cause says why.

    Attributes:
        record: The record.
    """

    def __init__(self, record: Any) -> None:
        super().__init__()
        self.record = record


def dumps(value: Any) -> bytes:
    """Pickle; classes that only the user's main module knows travel by value."""
    try:
        return pickle.dumps(value, 5)
    except (pickle.PicklingError, AttributeError, TypeError):
        data: bytes = cloudpickle.dumps(value, 5)
        return data


loads = pickle.loads


def dumps_records(records: list[Any], keys: list[Any] | None = None) -> bytes:
    """Pickle records, or the pair (keys, records).

    Raises:
        NotPicklableError: the first record that cannot be pickled.
    """
    try:
        return dumps(records if keys is None else (keys, records))
    except Exception:
        for record in (*records, *(keys or ())):
            try:
                dumps(record)
            except Exception as error:
                raise NotPicklableError(record) from error
        raise
