"""States that keep one aggregate a key."""

from __future__ import annotations

from typing import TypeVar

from datastream.state.state import MergingState

IN = TypeVar("IN")
OUT = TypeVar("OUT")
T = TypeVar("T")


class ReducingState(MergingState[T, T | None]):
    """Adds elements by a `ReduceFunction`; `get` returns the aggregate, or None before the first element."""


class AggregatingState(MergingState[IN, OUT | None]):
    """Adds elements by an `AggregateFunction`; `get` returns its result, or None before the first element."""
