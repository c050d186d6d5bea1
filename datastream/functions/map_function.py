"""Makes one record of each record."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from datastream.functions.function import Function


class MapFunction(Function):
    """Makes one record of each record."""

    @abstractmethod
    def map(self, value: Any) -> Any:
        """Return the record that takes the place of `value`."""
