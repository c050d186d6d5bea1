"""The bases of all formats of single records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class SerializationSchema(ABC):
    """Writes a record as bytes."""

    @abstractmethod
    def serialize(self, value: Any) -> bytes:
        """Return the bytes of `value`."""


class DeserializationSchema(ABC):
    """Reads a record from bytes."""

    @abstractmethod
    def deserialize(self, data: bytes) -> object:
        """Return the record in `data`."""
