"""What a task reports of its operators in an epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from datastream.graph.operators import Operator
from datastream.runtime.hosts import Host, TimestampsHost
from datastream.runtime.hosts.windows.base import WindowHostBase
from datastream.time import MAX_WATERMARK

from .intake import Intake


class Awaited(NamedTuple):
    """Who holds a watermark back.

    Attributes:
        origin: Id of the operator whose watermark is awaited.
        part: Which part of it: a subtask, or a source's partition.
    """

    origin: int
    part: str


class Observation(NamedTuple):
    """One operator in one subtask and epoch.

    Attributes:
        records: Records that came.
        watermarks: In ms: what was made of them, by subtask or by the source's partition; of an operator with timers or
            windows that wait for event time just this, under "".
        awaited: Who holds that back, where it did not advance.
        sampled: How many keys were sampled.
        hottest: The most frequent of them as text, and how often it was met.
        fired: A window fired, or results were given.
        late: Late records that were dropped.
        late_by: How far the latest of them was behind the watermark, in ms.
    """

    records: int
    watermarks: Mapping[str, int] = {}
    awaited: tuple[Awaited, ...] = ()
    sampled: int = 0
    hottest: tuple[str, int] | None = None
    fired: bool = False
    late: int = 0
    late_by: int = 0


class _Time(Protocol):
    def before(self, op: Operator) -> int: ...

    def awaited(self, op: Operator) -> tuple[Awaited, ...]: ...


def observe(
    subtask: int, hosts: Mapping[int, Host], intakes: Mapping[int, Intake], time: _Time
) -> dict[int, Observation]:
    """What is to be reported of the operators of a task, by operator id; call at the epoch's end."""
    found: dict[int, Observation] = {}
    for id, host in hosts.items():
        if isinstance(host, TimestampsHost):
            if host.records:
                lanes = {lane: read.output.watermark for lane, read in host.lanes.items()}
                found[id] = Observation(host.records, lanes or {str(subtask): host.highest})
            continue
        intake = intakes[id]
        fired = intake.gave or (isinstance(host, WindowHostBase) and host.fired)
        if not intake.records and not fired:
            continue
        watermarks: dict[str, int] = {}
        awaited: tuple[Awaited, ...] = ()
        if host.awaits_event_time and host.watermark < MAX_WATERMARK:
            watermarks = {"": host.watermark}
            if host.watermark == time.before(host.op):
                awaited = time.awaited(host.op)
        found[id] = Observation(
            intake.records,
            watermarks,
            awaited,
            len(intake.keys),
            intake.hottest(),
            fired,
            getattr(host, "late_dropped", 0),
            getattr(host, "late_by", 0),
        )
    return found
