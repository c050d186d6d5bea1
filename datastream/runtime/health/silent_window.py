"""A window operator that gets records and never fires, or drops most of them as late."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from datastream.config.job_warnings import JobWarning, WarningSettings
from datastream.graph import Plan
from datastream.graph.operators import Operator, Window
from datastream.windows import CountSlidingWindowAssigner, CountTumblingWindowAssigner, GlobalWindows
from datastream.windows.operation import WindowOperation

from .observation import Observation
from .span import Span, seconds


@dataclass
class _Seen:
    """What was seen of a window operator.

    Attributes:
        life: Since its first records.
        fired: Whether it ever fired.
        recent: Since late records were last judged.
        late: Late records since.
        late_by: How far the latest of them was behind the watermark, in ms.
    """

    life: Span
    recent: Span
    fired: bool = False
    late: int = 0
    late_by: int = 0


class SilentWindows:
    """Follows what windows give and what they drop.

    Args:
        plan: Of the job.
        settings: When to warn.
        stalled: Ids of operators that were warned of because of their watermark.
    """

    def __init__(self, plan: Plan, settings: WarningSettings, stalled: Collection[int]) -> None:
        self._plan = plan
        self._settings = settings
        self._stalled = stalled
        self._seen: dict[int, _Seen] = {}
        self._warned: set[tuple[int, str]] = set()

    def take(self, operators: Mapping[int, Sequence[Observation]], now: float, final: bool) -> Iterator[JobWarning]:
        """Take an epoch's reports; returns what is to be warned of."""
        for id, parts in operators.items():
            if isinstance(self._plan.operators[id], Window):
                seen = self._seen.setdefault(id, _Seen(Span(now), Span(now)))
                records = sum(part.records for part in parts)
                seen.life.add(records)
                seen.recent.add(records)
                seen.fired = seen.fired or any(part.fired for part in parts)
                seen.late += sum(part.late for part in parts)
                seen.late_by = max([seen.late_by, *(part.late_by for part in parts)])
        for id, seen in self._seen.items():
            op = self._plan.operators[id]
            assert isinstance(op, Window)
            yield from self._late(op, seen, now, final)
            yield from self._silent(op, seen, now, final)

    def _late(self, op: Window, seen: _Seen, now: float, final: bool) -> Iterator[JobWarning]:
        if not final and not seen.recent.long_enough(self._settings, now):
            return
        records, late = seen.recent.records, seen.late
        if 0 < late * 2 >= records and self._first(op, "late-records"):
            yield JobWarning(
                "late-records",
                op.state_uid,
                f"{_place(op)} has dropped {late:,} of {records:,} records as late, up to "
                f"{seconds(seen.late_by / 1000)} behind the watermark: give "
                "WatermarkStrategy.for_bounded_out_of_orderness(...) or allowed_lateness(...) as much, or keep "
                "them with side_output_late_data(tag). A single record "
                "with a time in the future makes all others late",
            )
        seen.recent, seen.late, seen.late_by = Span(now), 0, 0

    def _silent(self, op: Window, seen: _Seen, now: float, final: bool) -> Iterator[JobWarning]:
        if seen.fired or not seen.life.records or self._silenced(op):
            return
        length = 2 * _length_ms(op.operation)
        so_long = "" if final else f" in {seconds(now - seen.life.since)}"
        if (final or seen.life.long_enough(self._settings, now, length)) and self._first(op, "window-never-fires"):
            yield JobWarning(
                "window-never-fires",
                op.state_uid,
                f"{_place(op)} has had {_records(seen.life.records)}{so_long} and never fired: "
                f"{_cause(op.operation, final)}",
            )

    def _silenced(self, op: Operator) -> bool:
        """Whether a warning said why already."""
        if op.id in self._stalled or (op.id, "late-records") in self._warned:
            return True
        return any(self._silenced(self._plan.operators[edge.source]) for edge in self._plan.inputs[op.id])

    def _first(self, op: Operator, kind: str) -> bool:
        new = (op.id, kind) not in self._warned
        self._warned.add((op.id, kind))
        return new


def _records(number: int) -> str:
    return f"{number:,} record{'' if number == 1 else 's'}"


def _place(op: Operator) -> str:
    return f"'{op.name}' (made at {op.origin})"


def _length_ms(operation: WindowOperation) -> int:
    """How long a window lasts, in ms, as far as its assigner knows."""
    assigner = operation.assigner
    length = getattr(assigner, "size", None) or getattr(assigner, "session_gap", None)
    return length if isinstance(length, int) else 0


def _cause(operation: WindowOperation, final: bool) -> str:
    assigner = operation.assigner
    if isinstance(assigner, (CountTumblingWindowAssigner, CountSlidingWindowAssigner)):
        return f"no key has had {assigner.window_size:,} records yet"
    if operation.trigger is not None:
        return f"its trigger, {type(operation.trigger).__name__}, has not said so"
    if isinstance(assigner, GlobalWindows):
        return "GlobalWindows never end; give them a trigger, such as .trigger(CountTrigger.of(100))"
    if not assigner.is_event_time():
        if final:
            return (
                "the input ended before the clock reached a window's end; for input that ends use windows of event "
                "time, or env.set_runtime_mode(RuntimeExecutionMode.BATCH)"
            )
        return "the clock has not reached a window's end"
    return (
        "event time has not reached a window's end; extract_timestamp must return ms since 1970, not seconds, and "
        "the windows must not be longer than meant"
    )
