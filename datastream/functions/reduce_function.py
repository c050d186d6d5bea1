"""Joins two records of a key into one of the same type."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from datastream.functions.function import Function


class ReduceFunction(Function):
    """Joins two records of a key into one of the same type."""

    @abstractmethod
    def reduce(self, value1: Any, value2: Any) -> Any:
        """Return one record for two: what is reduced so far, and the next."""
