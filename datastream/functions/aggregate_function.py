"""Aggregation with an accumulator."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from datastream.functions.function import Function


class AggregateFunction(Function):
    """Aggregates records in an accumulator, whose type may differ from the records' and the result's."""

    @abstractmethod
    def create_accumulator(self) -> Any:
        """Return a new, empty accumulator."""

    @abstractmethod
    def add(self, value: Any, accumulator: Any) -> Any:
        """Return the accumulator with `value` added; it may be the same object."""

    @abstractmethod
    def get_result(self, accumulator: Any) -> Any:
        """Return the result of an accumulator."""

    @abstractmethod
    def merge(self, acc_a: Any, acc_b: Any) -> Any:
        """Return one accumulator for two; it may be one of them. Session windows need it."""
