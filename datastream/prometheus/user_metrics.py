"""What functions and connectors have registered, as Prometheus' series."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

from datastream.metrics import (
    CounterValue,
    DistributionValue,
    GaugeValue,
    MeterValue,
    MetricName,
    MetricValue,
    MetricValues,
)

from .families import Family
from .names import labels, number, snake
from .registry import Registry

_LOGGER = logging.getLogger("datastream")

#: The engine's and the connectors' own metrics, by Flink's names: name here, and what it is.
KNOWN = {
    "numLateRecordsDropped": (
        "datastream_operator_late_records_total",
        "Records that an operator dropped since they were late.",
    ),
    "numRecordsFedBack": ("datastream_loop_records_fed_back_total", "Records that went round in a loop."),
    "numRecordsDropped": ("datastream_loop_records_dropped_total", "Records that a loop's limits kept from going on."),
    "numRecordsInErrors": (
        "datastream_source_dead_letters_total",
        "Messages that a source could not read and has sent aside.",
    ),
    "numRetries": ("datastream_sink_retries_total", "What a sink has had to try again."),
    "numBytesIn": ("datastream_source_bytes_total", "Bytes that a source has read."),
    "numBytesOut": ("datastream_sink_bytes_total", "Bytes that a sink has written."),
}


#: Those that only sources and sinks have.
_OF_CONNECTORS = frozenset({"numRecordsInErrors", "numRetries", "numBytesIn", "numBytesOut"})


class UserMetrics:
    """Turns the values of metrics into series.

    Args:
        registry: Where the series are.
        job: Name of the job.
        operators: Uid -> name.
        connectors: Uids of sources and sinks.
        most: Series that one metric may have.
    """

    def __init__(
        self, registry: Registry, job: str, operators: Mapping[str, str], connectors: Set[str], most: int
    ) -> None:
        self._registry, self._job, self._operators, self._most = registry, job, operators, most
        self._connectors = connectors
        self._origins: dict[str, str] = {}
        self._series: Counter[str] = Counter()
        self._cut: set[tuple[str, str]] = set()
        self._told: set[str] = set()

    def add(self, values: MetricValues) -> None:
        """Add what the metrics came to in an epoch."""
        for name, value in values.items():
            if isinstance(name, MetricName):
                self._add(name, value)

    def _add(self, metric: MetricName, value: MetricValue) -> None:
        variables = [(snake(name), of) for name, of in metric.groups if of is not None]
        place = [
            ("job_name", self._job),
            ("operator", self._operators.get(metric.uid, metric.uid)),
            ("uid", metric.uid),
        ]
        pairs = [*place, *((f"user_{name}" if name in _TAKEN else name, of) for name, of in variables)]
        known = KNOWN.get(metric.name)
        ours = metric.name not in _OF_CONNECTORS or metric.uid in self._connectors
        if known is not None and ours and not metric.groups and isinstance(value, CounterValue):
            self._registry.counter(*known).add(labels(pairs), value.count)
            return
        plain = [name for name, of in metric.groups if of is None]
        name = "datastream_user_" + "_".join(map(snake, [*plain, metric.name]))
        own = ".".join([*plain, metric.name])
        if self._origins.setdefault(name, own) != own:
            self._tell(name, f"{self._origins[name]!r} and {own!r} are one metric for Prometheus, {name}: rename one")
        try:
            self._values(name, f"{own}, which the job's functions registered.", pairs, value)
        except ValueError as error:  # another operator has a metric of that name and another kind
            self._tell(name, f"the metric {own!r} is not shown to Prometheus, at least not all of it: {error}")

    def _values(self, name: str, about: str, pairs: list[tuple[str, str]], value: MetricValue) -> None:
        registry, where = self._registry, labels(pairs)
        match value:
            case CounterValue(count):
                self._put(registry.counter(_total(name), about), where, count)
            case MeterValue(count, rates):
                self._put(registry.counter(_total(name), about), where, count)
                rate = registry.gauge(f"{name}_per_second", f"Rate of {about}")
                for subtask, of_subtask in rates.items():
                    self._put(rate, labels([*pairs, ("subtask", str(subtask))]), of_subtask, sets=True)
            case GaugeValue(by_subtask):
                gauge = registry.gauge(name, about)
                for subtask, shown in by_subtask.items():
                    self._put(gauge, labels([*pairs, ("subtask", str(subtask))]), shown, sets=True)
            case DistributionValue(count, total, least, greatest):
                summary = registry.summary(name, about)
                self._put(summary, f"_count{where}", count)
                self._put(summary, f"_sum{where}", total)
                if (least := number(least)) is not None and (greatest := number(greatest)) is not None:
                    low = registry.gauge(f"{name}_min", f"Least of {about}")
                    high = registry.gauge(f"{name}_max", f"Greatest of {about}")
                    self._put(low, where, min(least, low.values.get(where, least)), sets=True)
                    self._put(high, where, max(greatest, high.values.get(where, greatest)), sets=True)

    def _put(self, family: Family, where: str, given: Any, sets: bool = False) -> None:
        value = number(given)
        if value is None:  # texts have no place in Prometheus
            return
        if where not in family.values:
            if self._series[family.name] >= self._most:
                self._cut_off(family.name, where)
                return
            self._series[family.name] += 1
        if sets:
            family.set(where, value)
        else:
            family.add(where, value)

    def _cut_off(self, name: str, where: str) -> None:
        if len(self._cut) < 10 * self._most and (name, where) not in self._cut:
            self._cut.add((name, where))
            self._registry.cut.add(labels([("job_name", self._job), ("metric", name)]), 1)
        self._tell(
            name,
            f"the metric {name} has more than {self._most:,} series, so Prometheus is not shown the others; a group's "
            "values should be few (datastream.metrics.max-series)",
        )

    def _tell(self, name: str, warning: str) -> None:
        """Warn, once for each metric."""
        if name not in self._told:
            self._told.add(name)
            _LOGGER.warning("%s", warning)


#: Labels that are ours.
_TAKEN = frozenset({"job_name", "operator", "uid", "subtask", "job", "instance", "quantile", "le"})


def _total(name: str) -> str:
    return name if name.endswith("_total") else f"{name}_total"
