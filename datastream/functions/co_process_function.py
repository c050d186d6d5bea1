"""Process functions of two connected streams."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from datastream.functions.contexts import KeyedContext, ProcessContext, TimerContext
from datastream.functions.function import Function


class CoProcessFunction(Function):
    """Makes any number of records of each record of two streams.

    A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(ProcessContext):
        """What is known about the record."""

    @abstractmethod
    def process_element1(self, value: Any, ctx: CoProcessFunction.Context) -> Iterable[Any] | None:
        """Return or yield the records for a record of the first stream."""

    @abstractmethod
    def process_element2(self, value: Any, ctx: CoProcessFunction.Context) -> Iterable[Any] | None:
        """Return or yield the records for a record of the second stream."""


class KeyedCoProcessFunction(Function):
    """Makes any number of records of each record of two keyed streams, with state and timers.

    Both streams share the state and timers of a key.
    A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(KeyedContext):
        """What is known about the record."""

    class OnTimerContext(Context, TimerContext):
        """What is known about the firing timer."""

    @abstractmethod
    def process_element1(self, value: Any, ctx: KeyedCoProcessFunction.Context) -> Iterable[Any] | None:
        """Return or yield the records for a record of the first stream."""

    @abstractmethod
    def process_element2(self, value: Any, ctx: KeyedCoProcessFunction.Context) -> Iterable[Any] | None:
        """Return or yield the records for a record of the second stream."""

    def on_timer(self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext) -> Iterable[Any] | None:
        """Return or yield records when a timer fires.

        Args:
            timestamp: The time the timer was set for, in ms.
            ctx: What is known about the timer.
        """
        return None
