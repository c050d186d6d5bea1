"""Where functions register metrics."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from datastream.errors import ValidationError, cut

from .metric_name import Group, MetricName
from .metrics import Counter, Distribution, Gauge, Meter, Metric
from .values import MetricValues

M = TypeVar("M", bound=Metric)


class MetricRegistry:
    """All metrics of one operator in one subtask.

    An epoch begins with `rewind` and ends with `take`, whose result belongs into the epoch's commit. So an attempt
    that fails leaves nothing.

    Args:
        job: Name of the job.
        operator: Name of the operator.
        uid: Its uid, with which the names in `take` begin.
        subtask: Number of the subtask, from 0.
        clock: Returns seconds, for meters.
    """

    def __init__(
        self, job: str, operator: str, uid: str, subtask: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.subtask = subtask
        self._uid = uid
        self.clock = clock
        self._metrics: dict[MetricName, Metric] = {}
        variables = {
            "<job_name>": job,
            "<operator_name>": operator,
            "<operator_id>": uid,
            "<subtask_index>": str(subtask),
        }
        #: The group that `RuntimeContext.get_metrics_group` returns.
        self.group = MetricGroup(self, (job, operator, str(subtask)), (), variables)

    def rewind(self) -> None:
        """Begin an epoch."""
        for metric in self._metrics.values():
            metric.rewind()

    def take(self) -> MetricValues:
        """Return what came in the epoch, by the operator's uid, the groups and the metric's name, joined by dots."""
        return {name: metric.take(self.subtask) for name, metric in self._metrics.items()}

    def metric(self, groups: tuple[Group, ...], name: str, kind: type[M], make: Callable[[], M]) -> M:
        """The metric of a name, made on first use."""
        path = MetricName(self._uid, groups, _text(name, "the name of a metric"))
        known = self._metrics.get(path)
        if known is None:
            known = self._metrics[path] = make()
        elif type(known) is not kind:
            raise ValidationError(
                f"'{path}' is a {type(known).__name__.lower()} already; give the {kind.__name__.lower()} another name"
            )
        return known


class MetricGroup:
    """Registers metrics, and groups of them. A name that is registered again returns its metric."""

    def __init__(
        self, registry: MetricRegistry, place: tuple[str, ...], groups: tuple[Group, ...], variables: dict[str, str]
    ) -> None:
        self._registry = registry
        self._place, self._groups = place, groups
        self._variables = variables

    def add_group(self, name: str, extra: str | None = None) -> MetricGroup:
        """Return a group in this one.

        Args:
            name: Its name; with `extra` the name of a variable.
            extra: The variable's value. Both are in the names of the metrics, and in `get_all_variables`.
        """
        name = _text(name, "the name of a group")
        if extra is None:
            return MetricGroup(self._registry, self._place, (*self._groups, (name, None)), self._variables)
        extra = _text(extra, "the value of a group")
        variables = {**self._variables, f"<{name}>": extra}
        return MetricGroup(self._registry, self._place, (*self._groups, (name, extra)), variables)

    def counter(self, name: str) -> Counter:
        """Return a counter.

        Raises:
            ValidationError: The name is that of another kind of metric.
        """
        return self._registry.metric(self._groups, name, Counter, Counter)

    def gauge(self, name: str, obj: Callable[[], Any]) -> None:
        """Show what a function returns at the end of each epoch: a number, text or bool.

        Raises:
            ValidationError: `obj` cannot be called, or the name is that of another kind of metric.
        """
        if not callable(obj):
            raise ValidationError(f"gauge '{name}' needs a function without arguments: got {cut(obj)}.")
        self._registry.metric(self._groups, name, Gauge, lambda: Gauge(obj)).function = obj  # the latest counts

    def meter(self, name: str, time_span_in_seconds: int = 60) -> Meter:
        """Return a meter, whose rate is that of the last seconds, of this number.

        Raises:
            ValidationError: The time is not above zero, or the name is that of another kind of metric.
        """
        if not time_span_in_seconds > 0:
            raise ValidationError(f"time_span_in_seconds must be above zero: got {cut(time_span_in_seconds)}.")
        return self._registry.metric(
            self._groups, name, Meter, lambda: Meter(time_span_in_seconds, self._registry.clock)
        )

    def distribution(self, name: str) -> Distribution:
        """Return a distribution.

        Raises:
            ValidationError: The name is that of another kind of metric.
        """
        return self._registry.metric(self._groups, name, Distribution, Distribution)

    def get_scope_components(self) -> list[str]:
        """Return the names of the job, the operator, the subtask's number and the names of the groups."""
        return [*self._place, *(part for group in self._groups for part in group if part is not None)]

    def get_all_variables(self) -> dict[str, str]:
        """Return the variables of the scope: ``<job_name>``, ``<operator_name>``, ``<operator_id>`` (its uid),
        ``<subtask_index>`` and those of groups with a value."""
        return dict(self._variables)

    def get_metric_identifier(self, metric_name: str) -> str:
        """Return the scope's components and the name, joined by dots."""
        return ".".join((*self.get_scope_components(), metric_name))


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValidationError(f"{what} must be a text: got {cut(value)}.")
    return value
