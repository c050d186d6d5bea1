"""Maps of two connected streams."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from datastream.functions.function import Function


class CoMapFunction(Function):
    """Makes one record of each record of two streams; None drops the record."""

    @abstractmethod
    def map1(self, value: Any) -> Any:
        """Return the record for a record of the first stream."""

    @abstractmethod
    def map2(self, value: Any) -> Any:
        """Return the record for a record of the second stream."""


class CoFlatMapFunction(Function):
    """Makes any number of records of each record of two streams."""

    @abstractmethod
    def flat_map1(self, value: Any) -> Iterable[Any] | None:
        """Return or yield the records for a record of the first stream."""

    @abstractmethod
    def flat_map2(self, value: Any) -> Iterable[Any] | None:
        """Return or yield the records for a record of the second stream."""
