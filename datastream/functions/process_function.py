"""Process functions of one stream."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from datastream.functions.contexts import KeyedContext, ProcessContext, TimerContext
from datastream.functions.function import Function


class ProcessFunction(Function):
    """Makes any number of records of each record, with its timestamp and the time at hand.

    A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(ProcessContext):
        """What is known about the record."""

    @abstractmethod
    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Iterable[Any] | None:
        """Return or yield the records that take the place of `value`."""


class KeyedProcessFunction(Function):
    """Makes any number of records of each record of a keyed stream, with state and timers.

    A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(KeyedContext):
        """What is known about the record."""

    class OnTimerContext(Context, TimerContext):
        """What is known about the firing timer."""

    @abstractmethod
    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any] | None:
        """Return or yield the records that take the place of `value`."""

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterable[Any] | None:
        """Return or yield records when a timer fires.

        Args:
            timestamp: The time the timer was set for, in ms.
            ctx: What is known about the timer.
        """
        return None
