"""Makes any number of records of each record."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from datastream.functions.function import Function


class FlatMapFunction(Function):
    """Makes any number of records of each record."""

    @abstractmethod
    def flat_map(self, value: Any) -> Iterable[Any] | None:
        """Return or yield the records that take the place of `value`; None means no records."""
