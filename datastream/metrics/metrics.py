"""The kinds of metrics. What they have gathered is taken once an epoch; see `MetricRegistry`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import Any

from datastream.errors import ProcessLost, cut

from .values import CounterValue, DistributionValue, GaugeValue, MeterValue, MetricValue, Number


class Metric(ABC):
    """What all metrics have in common."""

    @abstractmethod
    def rewind(self) -> None:
        """Go back to the last `take`: the epoch starts, and an attempt before may have failed."""

    @abstractmethod
    def take(self, subtask: int) -> MetricValue:
        """Return what came since the last time."""


class Counter(Metric):
    """Counts."""

    __slots__ = ("_count", "_taken")

    def __init__(self) -> None:
        self._count = self._taken = 0

    def inc(self, n: int = 1) -> None:
        """Add `n` to the count."""
        self._count += n

    def dec(self, n: int = 1) -> None:
        """Take `n` from the count."""
        self._count -= n

    def get_count(self) -> int:
        """Return what this subtask has counted since its process opened the function."""
        return self._count

    def rewind(self) -> None:
        self._count = self._taken

    def take(self, subtask: int) -> CounterValue:
        delta = self._count - self._taken
        self._taken = self._count
        return CounterValue(delta)


class Gauge(Metric):
    """Shows what a function returns: a number, text or bool.

    Args:
        function: Called at the end of each epoch. What it raises is shown in place of a value.
    """

    __slots__ = ("function",)

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def get_value(self) -> Any:
        """Return what the function returns."""
        return self.function()

    def rewind(self) -> None:
        return None

    def take(self, subtask: int) -> GaugeValue:
        try:
            value: Any = self.function()
        except ProcessLost:
            raise
        except BaseException as error:  # as in Flink, a gauge never fails the job: who looks at it sees why
            try:
                value = f"{type(error).__name__}: {error}"
            except BaseException:  # of a class of the user's
                value = type(error).__name__
        if not (value is None or isinstance(value, (int, float, str))):
            value = float(value) if isinstance(value, (Real, Decimal)) else cut(value)
        return GaugeValue({subtask: value})


class Meter(Metric):
    """Measures how fast events come.

    Args:
        time_span_in_seconds: The rate is that of the last seconds, of this number.
        clock: Returns seconds.
    """

    __slots__ = ("_count", "_taken", "_span", "_clock", "_past")

    def __init__(self, time_span_in_seconds: int, clock: Callable[[], float]) -> None:
        self._count = self._taken = 0
        self._span = time_span_in_seconds
        self._clock = clock
        self._past: deque[tuple[float, int]] = deque([(clock(), 0)])  # (time, count then)

    def mark_event(self, value: int = 1) -> None:
        """Record this number of events."""
        self._count += value

    def get_count(self) -> int:
        """Return how many events came in this subtask since its process opened the function."""
        return self._count

    def get_rate(self) -> float:
        """Return the events/s of this subtask over the time span; over its life while that is shorter."""
        now, past = self._clock(), self._past
        while len(past) > 1 and past[1][0] <= now - self._span:
            past.popleft()
        since, count = past[0]
        return (self._count - count) / (now - since) if now > since else 0.0

    def rewind(self) -> None:
        self._count = self._taken

    def take(self, subtask: int) -> MeterValue:
        delta, rate = self._count - self._taken, self.get_rate()
        self._taken = self._count
        self._past.append((self._clock(), self._count))
        return MeterValue(delta, {subtask: rate})


class Distribution(Metric):
    """Gathers how many values there were, their sum, the least and the greatest."""

    __slots__ = ("_count", "_sum", "_min", "_max")

    _sum: Number
    _min: Number
    _max: Number

    def __init__(self) -> None:
        self.rewind()

    def update(self, value: Number) -> None:
        """Add a value."""
        if self._count:
            if value < self._min:
                self._min = value
            elif value > self._max:
                self._max = value
        else:
            self._min = self._max = value
        self._sum += value
        self._count += 1

    def rewind(self) -> None:
        self._count = self._sum = self._min = self._max = 0

    def take(self, subtask: int) -> DistributionValue:
        value = DistributionValue(self._count, self._sum, self._min, self._max) if self._count else DistributionValue()
        self.rewind()
        return value
