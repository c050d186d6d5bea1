"""A watermark that does not advance while records come, and timestamps of a wrong unit."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from datastream.config.job_warnings import JobWarning, WarningSettings
from datastream.graph import Plan
from datastream.graph.operators import Operator, Source, Timestamps
from datastream.time import MIN_WATERMARK

from .observation import Awaited, Observation
from .span import Span, seconds

#: What seconds since 1970 are in the years 2001 to 2103.
_SECONDS = range(1_000_000_000, 4_200_000_000)
_UNITS = ((1, "seconds"), (10**6, "microseconds"), (10**9, "nanoseconds"))
_DAY_MS = 86_400_000
_LAST_DATE_MS = 253_402_300_799_999


class StalledWatermarks:
    """Follows the watermarks that are made, and those that timers and windows wait for.

    Args:
        plan: Of the job.
        settings: When to warn.

    Attributes:
        stalled: Ids of the operators that were warned of.
    """

    def __init__(self, plan: Plan, settings: WarningSettings) -> None:
        self._plan = plan
        self._settings = settings
        self._reached: dict[int, dict[str, int]] = {}  # operator id -> subtask or partition -> watermark
        self._spans: dict[int, Span] = {}
        self._of_wrong_unit: set[int] = set()
        self.stalled: set[int] = set()

    def take(self, operators: Mapping[int, Sequence[Observation]], now: float) -> Iterator[JobWarning]:
        """Take an epoch's reports; returns what is to be warned of."""
        standing: list[tuple[Operator, Span, tuple[Awaited, ...]]] = []
        for id, parts in operators.items():
            op = self._plan.operators[id]
            if self._plan.graph.batch or not any(part.watermarks for part in parts):
                self._spans.pop(id, None)
                continue
            advanced = self._advance(id, parts)
            span = self._spans.get(id)
            if advanced or span is None:
                span = self._spans[id] = Span(now)
            if not advanced:
                span.add(sum(part.records for part in parts))
                if id not in self.stalled and span.long_enough(self._settings, now):
                    standing.append((op, span, next((part.awaited for part in parts if part.awaited), ())))
            if isinstance(op, Timestamps) and id not in self._of_wrong_unit:
                watermark = self._highest(id)
                unit = next((name for scale, name in _UNITS if watermark // scale in _SECONDS), None)
                if unit is not None:
                    self._of_wrong_unit.add(id)
                    yield self._wrong_unit(op, watermark, unit)
        for op, span, awaited in standing:
            yield from self._standing(op, span, now, awaited)

    def _advance(self, id: int, parts: Sequence[Observation]) -> bool:
        """Whether any watermark of an operator has gone on."""
        reached = self._reached.setdefault(id, {})
        advanced = False
        for part in parts:
            for of, watermark in part.watermarks.items():
                if watermark > reached.get(of, MIN_WATERMARK):
                    reached[of] = watermark
                    advanced = True
        return advanced

    def _highest(self, id: int) -> int:
        return max(self._reached[id].values(), default=MIN_WATERMARK)

    def _standing(self, op: Operator, span: Span, now: float, awaited: tuple[Awaited, ...]) -> Iterator[JobWarning]:
        reached = self._highest(op.id)
        if isinstance(op, Timestamps):
            cause = self._no_progress(op, reached)
        else:
            roots = [one for one in awaited if isinstance(self._plan.operators[one.origin], (Source, Timestamps))]
            if not roots or any(one.origin in self._spans and self._stands(one.origin) for one in roots):
                return  # another operator has to be warned of
            cause = self._waiting(roots)
        self.stalled.add(op.id)
        where = f"has stopped at {instant(reached)}" if reached > MIN_WATERMARK else "has not begun"
        yield JobWarning(
            "watermark-stalled",
            op.state_uid,
            f"the watermark of '{op.name}' (made at {op.origin}) {where}, for {seconds(now - span.since)} and "
            f"{span.epochs:,} epochs with {span.records:,} records, so windows and timers do not fire: {cause}",
        )

    def _stands(self, id: int) -> bool:
        return self._spans[id].epochs >= self._settings.epochs

    def _no_progress(self, op: Timestamps, reached: int) -> str:
        strategy = op.strategy
        if reached <= MIN_WATERMARK:
            if strategy.generator_supplier is not None:
                return "its watermark generator has emitted none"
            if strategy.max_out_of_orderness is None:
                return "WatermarkStrategy.no_watermarks() makes none; use for_bounded_out_of_orderness(...)"
            return "its records have no timestamps; give the WatermarkStrategy with_timestamp_assigner(...)"
        ahead = reached - time.time() * 1000
        if ahead > _DAY_MS:
            return (
                f"it lies {seconds(ahead / 1000)} in the future, where a record with a wrong timestamp has moved it; "
                "filter such records out before the timestamps are assigned"
            )
        return (
            "no record since was newer. extract_timestamp may return a constant, a date without the time of day, or "
            "a time in another unit than ms"
        )

    def _waiting(self, roots: Sequence[Awaited]) -> str:
        origin = self._plan.operators[roots[0].origin]
        if isinstance(origin, Source):
            return (
                f"it waits for '{origin.name}' (made at {origin.origin}), which makes no watermarks; give that stream "
                "assign_timestamps_and_watermarks(...), too"
            )
        parts = ", ".join(one.part for one in roots[:3]) + (", ..." if len(roots) > 3 else "")
        return (
            f"it waits for {parts} of '{origin.name}' (made at {origin.origin}), with no records or older ones; let "
            "others go on without idle ones by WatermarkStrategy.with_idleness(Duration.of_seconds(60))"
        )

    @staticmethod
    def _wrong_unit(op: Operator, watermark: int, unit: str) -> JobWarning:
        return JobWarning(
            "timestamp-unit",
            op.state_uid,
            f"the timestamps of '{op.name}' (made at {op.origin}) look like {unit}, but are taken for ms: "
            f"{watermark} is {instant(watermark)}; extract_timestamp must return ms since 1970",
        )


def instant(ms: int) -> str:
    """An event time for people, in UTC."""
    if not 0 <= ms <= _LAST_DATE_MS:
        return f"{ms} ms"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
