"""Formats that write many records together, such as columnar files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, BinaryIO


class BulkWriter(ABC):
    """Writes records to one stream."""

    @abstractmethod
    def add_element(self, value: Any) -> None:
        """Take one record; it may stay in memory until `flush` or `finish`."""

    def add_elements(self, values: Sequence[Any]) -> None:
        """Take records, one after the other unless the format has a quicker way."""
        for value in values:
            self.add_element(value)

    @abstractmethod
    def flush(self) -> None:
        """Write what is in memory, as far as the format can."""

    @abstractmethod
    def finish(self) -> None:
        """Write the rest and the format's end; leave the stream open."""


class BulkWriterFactory(ABC):
    """Makes a `BulkWriter` for each file."""

    @abstractmethod
    def create(self, stream: BinaryIO) -> BulkWriter:
        """Return a writer to `stream`."""
