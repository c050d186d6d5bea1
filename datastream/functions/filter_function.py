"""Keeps the records it says true of."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from datastream.functions.function import Function


class FilterFunction(Function):
    """Keeps the records it says true of."""

    @abstractmethod
    def filter(self, value: Any) -> bool:
        """Return whether `value` stays in the stream."""
