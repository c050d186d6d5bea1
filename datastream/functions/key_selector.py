"""Functions that give the key of a record."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from datastream.functions.function import Function


class KeySelector(Function):
    """Returns the key of a record, always the same one for the same record."""

    @abstractmethod
    def get_key(self, value: Any) -> Any:
        """Return the key of `value`."""


class NullByteKeySelector(KeySelector):
    """Returns the key 0 for every record, so that keyed operators serve a stream without keys."""

    def get_key(self, value: Any) -> int:
        """Return 0."""
        return 0
