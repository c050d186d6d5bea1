"""Scales the job of the runner by its backlog: what `ScalingRule` decides is noted, and the runner starts again."""

from __future__ import annotations

import threading
import time
from typing import Any

import structlog
from prometheus_client import Counter, Gauge

from datastream.prometheus import REGISTRY

from .ending import Ending
from .figures import Figures
from .followed import Followed
from .generations import Generations
from .scaling_rule import Decision, Limits, Sample, ScalingRule
from .settings import RunnerSettings

_EVERY_S = 1.0
_UP, _DOWN = "up", "down"


class Scaling:
    """Follows the job in a thread, until it has decided on another parallelism.

    Args:
        own: The settings, with those of scaling.
        generations: Of the job; the decision is noted beside them.
        followed: Knows the job's statistics.
        ending: Ends the job.

    Attributes:
        restarts: Whether the runner is to start again.
    """

    def __init__(self, own: RunnerSettings, generations: Generations, followed: Followed, ending: Ending) -> None:
        assert own.scaling_min is not None and own.scaling_max is not None and own.parallelism is not None
        self._limits = Limits(
            own.scaling_min,
            own.scaling_max,
            own.scaling_up_backlog,
            own.scaling_up_after,
            own.scaling_down_after,
            own.scaling_utilization,
            own.scaling_cooldown,
        )
        self._parallelism, self._generations = own.parallelism, generations
        self._followed, self._ending = followed, ending
        self._log = structlog.get_logger("datastream")
        self._rule: ScalingRule | None = None
        self._warned = False
        self.restarts = False
        note = generations.read_note()
        self._decisions: dict[str, int] = {_UP: 0, _DOWN: 0, **note.get("decisions", {})}
        self._capacities = {int(number): float(rate) for number, rate in note.get("capacities", {}).items()}
        registry = REGISTRY.client
        Gauge("datastream_scaling_parallelism", "Parallelism of the job.", registry=registry).set(self._parallelism)
        self._backlog_s = Gauge(
            "datastream_scaling_backlog_seconds", "Work that waits, at the rate of the last minute.", registry=registry
        )
        decisions = Counter(
            "datastream_scaling_decisions",
            "Changes of the parallelism since the job's first start.",
            ("direction",),
            registry=registry,
        )
        for direction, number in self._decisions.items():
            decisions.labels(direction).inc(number)
        followed.more = self._shown

    def start(self) -> None:
        """Begin to follow the job."""
        threading.Thread(target=self._run, name="datastream-scaling", daemon=True).start()

    def check_noted(self) -> None:
        """Make sure that the parallelism is the one that was decided last, now that no other process decides.

        Raises:
            KeyboardInterrupt: It is not, as another runner held the job meanwhile: the runner starts again.
        """
        noted = self._generations.read_note().get("parallelism")
        limits = self._limits
        if noted is not None and max(limits.least, min(limits.most, noted)) != self._parallelism:
            self.restarts = True
            raise KeyboardInterrupt

    def _run(self) -> None:
        figures: Figures | None = None
        while True:
            time.sleep(_EVERY_S)
            latest = self._followed.figures
            if latest is None or latest.ended is not None:
                continue
            if latest is not figures:
                figures = latest
                if figures.graph.parallelism != self._parallelism:
                    self._log.warning(
                        "scaling",
                        reason=f"the job sets its parallelism to {figures.graph.parallelism} itself: it is not scaled",
                    )
                    return
                self._rule = ScalingRule(self._limits, self._parallelism, time.monotonic(), self._capacities)
            assert self._rule is not None
            decision = self._observe(self._rule, figures)
            if decision is not None:
                self._change(self._rule, decision)
                return

    def _observe(self, rule: ScalingRule, figures: Figures) -> Decision | None:
        records, busy_s, backlog = figures.work()
        decision = rule.observe(Sample(time.monotonic(), records, busy_s, backlog))
        if rule.load is not None:
            self._backlog_s.set(rule.load.backlog_s)
        if backlog is None and records and not self._warned:
            self._warned = True
            self._log.warning("scaling", reason="no source of the job knows its backlog: it is not scaled")
        return decision

    def _change(self, rule: ScalingRule, decision: Decision) -> None:
        direction = _UP if decision.parallelism > decision.before else _DOWN
        self._decisions[direction] += 1
        load = decision.load
        self._generations.write_note(
            parallelism=decision.parallelism,
            capacities={str(number): round(rate, 3) for number, rate in rule.capacities.items()},
            decisions=self._decisions,
        )
        self._log.info(
            "scaling",
            before=decision.before,
            parallelism=decision.parallelism,
            reason=decision.reason,
            backlog=load.backlog,
            backlog_s=round(load.backlog_s, 1),
            rate=round(load.rate, 1),
            demand=round(load.demand, 1),
            busy=round(load.busy, 2),
            capacity=round(load.capacity, 1),
        )
        self.restarts = True
        self._ending.end_for_restart()

    def _shown(self) -> dict[str, Any]:
        load = None if self._rule is None else self._rule.load
        return {
            "scaling": {
                "parallelism": self._parallelism,
                "min": self._limits.least,
                "max": self._limits.most,
                "decisions": dict(self._decisions),
                "backlog": None if load is None else load.backlog,
                "backlog_s": None if load is None else load.backlog_s,
            }
        }
