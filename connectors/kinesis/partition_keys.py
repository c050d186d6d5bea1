"""Partition keys: which shard a record goes to."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from datastream.errors import ValidationError, cut

_MOST = 256


class PartitionKeyGenerator:
    """Makes the partition key of a record.

    Args:
        function: Gives the key of a record, a text of 1 to 256 characters. PyFlink's takes a Java object.

    Raises:
        ValidationError: It is no function.
    """

    def __init__(self, function: Callable[[Any], str]) -> None:
        if not callable(function):
            raise ValidationError(f"PartitionKeyGenerator needs a function of the record, got {cut(function)}")
        self._function = function

    @staticmethod
    def fixed() -> PartitionKeyGenerator:
        """The number of the sink's subtask: all its records go to one shard."""
        return _Fixed()

    @staticmethod
    def random() -> PartitionKeyGenerator:
        """A random key for each record: all shards get as many, and nothing has an order."""
        return _Random()

    def key(self, record: Any, subtask: int) -> str:
        """The key of a record. Sinks call this.

        Args:
            record: The record.
            subtask: Index of the sink's subtask.

        Raises:
            ValidationError: The function failed, or returned something else; names the record.
        """
        try:
            found = self._function(record)
        except Exception as error:
            raise ValidationError(
                f"PartitionKeyGenerator: the function raised {type(error).__name__}: {error}, for the record "
                f"{cut(record)}"
            ) from error
        if not isinstance(found, str) or not 0 < len(found) <= _MOST:
            raise ValidationError(
                f"PartitionKeyGenerator: the function returned {cut(found)}, expected a text of 1 to {_MOST} "
                f"characters, for the record {cut(record)}"
            )
        return found


class _Fixed(PartitionKeyGenerator):
    def __init__(self) -> None:
        pass

    def key(self, record: Any, subtask: int) -> str:
        return str(subtask)


class _Random(PartitionKeyGenerator):
    def __init__(self) -> None:
        pass

    def key(self, record: Any, subtask: int) -> str:
        return f"{random.getrandbits(128):032x}"
