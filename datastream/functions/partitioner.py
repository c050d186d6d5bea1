"""Chooses the partition of a key."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from datastream.functions.function import Function


class Partitioner(Function):
    """Chooses the partition of a key."""

    @abstractmethod
    def partition(self, key: Any, num_partitions: int) -> int:
        """Return the partition of `key`, from 0 to num_partitions - 1."""
