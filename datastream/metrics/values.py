"""What metrics come to: plain data that can be added up, over subtasks and over epochs alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Number = int | float


@dataclass(frozen=True)
class CounterValue:
    """What was counted.

    Attributes:
        count: May be below zero.
    """

    count: int = 0

    def plus(self, later: CounterValue) -> CounterValue:
        return CounterValue(self.count + later.count)

    @property
    def result(self) -> int:
        """The count."""
        return self.count


@dataclass(frozen=True)
class GaugeValue:
    """What a gauge showed at the end of the latest epoch in which its subtask ran.

    Attributes:
        by_subtask: Subtask -> number, text or bool; the text of the error where the gauge's function raised one.
    """

    by_subtask: dict[int, Number | str | None] = field(default_factory=dict)

    def plus(self, later: GaugeValue) -> GaugeValue:
        return GaugeValue({**self.by_subtask, **later.by_subtask})

    @property
    def result(self) -> dict[int, Number | str | None]:
        """The value of each subtask."""
        return dict(self.by_subtask)


@dataclass(frozen=True)
class MeterValue:
    """Events, and how fast they came.

    Attributes:
        count: Events.
        rates: Subtask -> events/s over the meter's time span, at the end of the latest epoch in which it ran.
    """

    count: int = 0
    rates: dict[int, float] = field(default_factory=dict)

    def plus(self, later: MeterValue) -> MeterValue:
        return MeterValue(self.count + later.count, {**self.rates, **later.rates})

    @property
    def result(self) -> dict[str, Number]:
        """``count``, and ``rate`` of all subtasks together in events/s."""
        return {"count": self.count, "rate": sum(self.rates.values())}


@dataclass(frozen=True)
class DistributionValue:
    """Values, by what can be added up of them.

    Attributes:
        count: How many there were.
        sum: Of all values.
        min: The least; None without values.
        max: The greatest; None without values.
    """

    count: int = 0
    sum: Number = 0
    min: Number | None = None
    max: Number | None = None

    def plus(self, later: DistributionValue) -> DistributionValue:
        if self.min is None or later.min is None or self.max is None or later.max is None:
            return later if self.min is None else self
        return DistributionValue(
            self.count + later.count, self.sum + later.sum, min(self.min, later.min), max(self.max, later.max)
        )

    @property
    def mean(self) -> float | None:
        """The mean; None without values."""
        return self.sum / self.count if self.count else None

    @property
    def result(self) -> dict[str, Number | None]:
        """``count``, ``sum``, ``min``, ``max`` and ``mean``."""
        return {"count": self.count, "sum": self.sum, "min": self.min, "max": self.max, "mean": self.mean}


MetricValue = CounterValue | GaugeValue | MeterValue | DistributionValue

#: The operator's uid, the groups and the metric's name, joined by dots -> value.
MetricValues = dict[str, MetricValue]


def merge(parts: Iterable[MetricValues]) -> MetricValues:
    """Add up the values of several tasks or epochs, given in the order of time."""
    total: MetricValues = {}
    for part in parts:
        for name, value in part.items():
            known: Any = total.get(name)
            added: Any = value
            # A name may stand for another kind of metric in the job that goes on from a checkpoint.
            total[name] = known.plus(added) if type(known) is type(value) else added
    return total
