"""Adds up what tasks report of their operators, and warns of problems."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from datastream.config.job_warnings import JobWarning, WarningSettings
from datastream.graph import Plan

from .growing_state import GrowingState
from .hot_key import HotKeys
from .observation import Observation
from .silent_window import SilentWindows
from .stalled_watermark import StalledWatermarks


class HealthMonitor:
    """Lives beside the driver for as long as the job runs.

    Args:
        plan: Of the job.
        settings: When to warn; None: never.
        clock: Returns seconds.
    """

    def __init__(
        self, plan: Plan, settings: WarningSettings | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._on = settings is not None
        given = settings or WarningSettings()
        self._watermarks = StalledWatermarks(plan, given)
        self._windows = SilentWindows(plan, given, self._watermarks.stalled)
        self._keys = HotKeys(plan, given)
        self._growing = GrowingState(plan)

    def take(self, tasks: Iterable[Mapping[int, Observation]], final: bool) -> tuple[JobWarning, ...]:
        """Take the reports of an epoch's tasks.

        Args:
            tasks: Operator id -> what was seen of it, of each task.
            final: The input has ended.

        Returns:
            What is to be warned of now, each cause once.
        """
        if not self._on:
            return ()
        of_operators: dict[int, list[Observation]] = {}
        for task in tasks:
            for id, seen in task.items():
                of_operators.setdefault(id, []).append(seen)
        now = self._clock()
        warnings: list[JobWarning] = list(self._growing.take())
        if not final:
            warnings += self._watermarks.take(of_operators, now)
            warnings += self._keys.take(of_operators, now)
        warnings += self._windows.take(of_operators, now, final)
        return tuple(warnings)
