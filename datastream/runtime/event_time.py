"""Event time in a subtask: watermarks on their way through its operators, and what they and the clock make fire."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Protocol

from datastream.graph import Edge, Plan
from datastream.graph.operators import Operator, Reduce, Source, Timestamps
from datastream.time import MAX_WATERMARK, MIN_WATERMARK

from .chain_code import Chain
from .epoch_plan import TaskPlan
from .health.observation import Awaited
from .hosts import Host, Out, TimestampsHost
from .pages import Store
from .port import Port
from .program import Program
from .timed_blocks import InlineWatermark, Status, WatermarkReport
from .watermarks import Watermarks


class Operators(Protocol):
    """What runs the operators that time passes through; a `Stage`."""

    program: Program
    plan: Plan
    level: int
    subtask: int
    store: Store | None
    hosts: dict[int, Host]
    chains: dict[tuple[int, bool], Chain]

    def operators(self) -> Iterator[Operator]:
        """Those that the subtask has a part of."""

    def chain(self, op: Operator, outputs_only: bool) -> Chain:
        """The fused chain that begins with an operator, or right after it."""

    def host(self, op: Operator) -> Host:
        """What runs an operator of a hosted kind."""

    def port(self, edge: Edge) -> Port:
        """Where records leave by an edge."""

    def drain(self, op: Operator, host: Host, outs: Iterator[Out]) -> None:
        """Hand on all that a host emits."""

    def finish(self, op: Operator, watermark: int) -> None:
        """Let an operator finish what must come before a watermark."""


class EventTime:
    """Moves time on for the operators of a stage.

    Attributes:
        task_plan: What the subtask reads in this epoch; nothing, but at level 0.
        resting: Ids of the sources that have ended, if some of them did for this run only.
    """

    def __init__(self, stage: Operators) -> None:
        self._stage = stage
        self._plan = stage.plan
        self._timing = stage.plan.timing
        self.task_plan = TaskPlan(stage.subtask)
        self.resting: frozenset[int] = frozenset()
        self._idle: dict[int, bool] = {}  # operator id -> what those after it in the subtask know of it
        self._watermarks = Watermarks(
            stage.program, stage.level, stage.subtask, stage.store, stage.program.spec.clock()
        )

    def before(self, op: Operator) -> int:
        """Event time of an operator at the end of the last epoch, in ms."""
        return self._watermarks.before(op)

    def awaited(self, op: Operator) -> tuple[Awaited, ...]:
        """Who holds an operator's event time where it is."""
        return self._watermarks.awaited(op)

    def begin_again(self) -> None:
        """A job that had finished has more input: event time that had come to its end begins again."""
        self._watermarks.begin_again()

    # -- watermarks --------------------------------------------------------------------------------

    def preview_reports(self, reports: list[tuple[Edge, int, list[WatermarkReport], bool]]) -> None:
        """Learn who is active in this epoch, before its records: those who are not need not be waited for until then.

        Args:
            reports: Edge, sending subtask, its reports at the epoch's end, and whether it sends records before.
        """
        for edge, sender, some, _ in reports:
            self._watermarks.activate(edge, sender, some)
            self._update_status(self._plan.operators[edge.target])
        of_edges: dict[int, list[WatermarkReport]] = {}
        for edge, sender, some, sends in reports:
            of_edges.setdefault(edge.id, []).extend(some)
            if not sends:
                self.receive_reports(edge, sender, some)
        for id, some in of_edges.items():
            edge = self._plan.edges[id]
            if self._watermarks.retire_lanes(edge, some):
                self._advance(self._plan.operators[edge.target])

    def receive_reports(self, edge: Edge, sender: int, reports: list[WatermarkReport]) -> None:
        """Take the reports of a subtask at the end of an epoch."""
        target = self._plan.operators[edge.target]
        if self._watermarks.receive_reports(edge, sender, reports):
            self._advance(target)
        self._update_status(target)

    def save(self) -> int | None:
        """Remember watermarks for the next epoch; when the next silent subtask counts as idle, in ms, or None."""
        return self._watermarks.save()

    def receive(self, edge: Edge, sender: int, watermark: InlineWatermark) -> None:
        """Take a watermark that came over an edge."""
        if self._watermarks.receive(edge, sender, watermark.origin, watermark.watermark, watermark.lane):
            self._advance(self._plan.operators[edge.target])

    def _advance(self, op: Operator) -> None:
        """Event time of an operator has advanced: it fires what is due, then the watermark goes downstream."""
        watermark = self._watermarks.of(op)
        if isinstance(op, Timestamps):  # makes its own, until the last
            if watermark == MAX_WATERMARK:
                self.propagate(self._stage.chain(op, True), op, op.id, watermark)
            return
        self._fire(op, watermark)
        if op.id in self._timing.combines:
            self.propagate(self._stage.chain(op, op.hosted), op, op.id, _held_back(op, watermark))

    def _fire(self, op: Operator, watermark: int) -> None:
        if op.hosted:
            host = self._stage.host(op)
            if watermark > host.watermark:
                self._stage.drain(op, host, host.advance(watermark))

    def propagate(self, chain: Chain, op: Operator, origin: int, watermark: int) -> None:
        """Let a watermark follow the records that left by a chain."""
        if isinstance(op, Timestamps):
            self._watermarks.note_generated(op, watermark)
        chain.context.watermark = max(watermark, chain.context.watermark)
        for edge in chain.ports:
            if edge.id not in self._timing.watermarked:
                continue
            if edge.id not in self._plan.local:
                if origin not in self._timing.laned:
                    self._stage.port(edge).push_watermark(origin, watermark, None)
                continue
            target = self._plan.operators[edge.target]
            if self._watermarks.tracks(edge) and self._watermarks.receive(edge, 0, origin, watermark):
                self._advance(target)
            if not isinstance(target, Timestamps) and target.id not in self._timing.combines:
                self._stage.finish(target, watermark)
                self.propagate(self._stage.chain(target, target.hosted), target, origin, watermark)

    def propagate_lane(self, chain: Chain, origin: int, watermark: int, lane: str) -> None:
        """Let the watermark of a source's lane follow the records that left the subtask."""
        for edge in chain.ports:
            if edge.id not in self._timing.watermarked:
                continue
            if edge.id not in self._plan.local:
                self._stage.port(edge).push_watermark(origin, watermark, lane)
                continue
            target = self._plan.operators[edge.target]
            if not isinstance(target, Timestamps) and target.id not in self._timing.combines:
                self._stage.finish(target, watermark)
                self.propagate_lane(self._stage.chain(target, target.hosted), origin, watermark, lane)

    def mark_active(self, op: Operator) -> None:
        """An operator that makes watermarks has records: whoever took it for idle waits for it again."""
        if self._stage.level:
            self._propagate_status(self._stage.chain(op, True), op.id, idle=False)

    def _update_status(self, op: Operator) -> None:
        """Let those after an operator in the same subtask know whether it is idle, when that has changed."""
        idle = self._watermarks.idle(op)
        if op.id in self._timing.combines and not isinstance(op, Timestamps) and self._idle.get(op.id) != idle:
            self._idle[op.id] = idle
            self._propagate_status(self._stage.chain(op, op.hosted), op.id, idle)

    def _propagate_status(self, chain: Chain, origin: int, idle: bool) -> None:
        for edge in chain.ports:
            if edge.id not in self._timing.watermarked or edge.id not in self._plan.local:
                continue
            target = self._plan.operators[edge.target]
            if self._watermarks.tracks(edge) and self._watermarks.note_status(edge, origin, idle):
                self._advance(target)
            if target.id in self._timing.combines:
                self._update_status(target)
            else:
                self._propagate_status(self._stage.chain(target, target.hosted), origin, idle)

    def report_inside(self, final: bool) -> None:
        """At the epoch's end: report the watermarks that this subtask's operators make to those after it in it."""
        if self._stage.level and self._timing.watermarked:
            for op in self._stage.operators():
                if isinstance(op, Timestamps):
                    self._report_inside(self._stage.chain(op, True), self._report_of(op.id, final))

    def _report_inside(self, chain: Chain, report: WatermarkReport) -> None:
        """Hand the report of an operator that makes watermarks to those after it in the same subtask."""
        for edge in chain.ports:
            if edge.id in self._timing.watermarked and edge.id in self._plan.local:
                target = self._plan.operators[edge.target]
                if self._watermarks.tracks(edge):
                    self.receive_reports(edge, 0, [report])
                if target.id not in self._timing.combines:
                    self._report_inside(self._stage.chain(target, target.hosted), report)

    def begin_split(self, source: Operator, more: bool, lane: str | None) -> None:
        """A split of a source is about to be read; inside the subtask time waits until the last one's end."""
        for id, of in self._timing.laned.items():
            if of == source.id:
                self._timestamps_host(self._plan.operators[id]).begin_split(more, lane)
        for edge in self._plan.outputs[source.id]:
            target = self._plan.operators[edge.target]
            if isinstance(target, Timestamps) and target.id not in self._timing.laned and edge.id in self._plan.local:
                self._timestamps_host(target).begin_split(more, None)

    def end_lanes(self) -> None:
        """Inside a subtask the lowest watermark of its lanes counts, once all have been read."""
        for id in self._timing.laned:
            op = self._plan.operators[id]
            if self._stage.level == 0 and id in self._stage.hosts:
                made = self._timestamps_host(op).made
                if made > MIN_WATERMARK:
                    self.propagate(self._stage.chain(op, True), op, id, made)

    def _timestamps_host(self, op: Operator) -> TimestampsHost:
        host = self._stage.host(op)
        assert isinstance(host, TimestampsHost)
        return host

    def end_sources(self) -> None:
        """At level 0: sources that have ended will hold back no operator."""
        if self._stage.level or not self._timing.watermarked:
            return
        for id in sorted(self.task_plan.ended):
            source = self._plan.operators[id]
            if self._stage.subtask < self._plan.subtasks[id]:
                self.propagate(self._stage.chain(source, True), source, id, MAX_WATERMARK)

    def rest(self) -> None:
        """At the epoch's end: sources that have ended for this run hold back no operator that waits for others, too."""
        if self._stage.level and self.resting:
            for op in self._stage.operators():
                if not self._timing.sources[op.id] <= self.resting and self._watermarks.rest(op, self.resting):
                    self._advance(op)

    def tick(self) -> None:
        """Fire what is due by the clock."""
        if not self._timing.awake or self._stage.level == 0 or self._plan.graph.batch:
            return
        for op in self._stage.operators():
            if op.hosted and not isinstance(op, Reduce):
                host = self._stage.host(op)
                self._stage.drain(op, host, host.tick(self._stage.program.spec.clock()))

    def end(self) -> None:
        """The end of all input: the last watermark, and what operators give then."""
        for op in self._stage.operators():
            if not op.hosted:
                if (op.id, False) in self._stage.chains:
                    self._stage.chain(op, False).context.watermark = MAX_WATERMARK
                continue
            host = self._stage.host(op)
            if host.watermark < MAX_WATERMARK:
                self._stage.drain(op, host, host.advance(MAX_WATERMARK))
            self._stage.drain(op, host, host.end())
            self._stage.chain(op, True).context.watermark = MAX_WATERMARK

    def report(self, final: bool) -> None:
        """Report over every edge that leaves the task what is known of time at the end of the epoch."""
        for op in self._stage.operators():
            for edge in self._plan.outputs[op.id]:
                if edge.id in self._timing.watermarked and edge.id not in self._plan.local:
                    self._stage.port(edge).report(self._reports_of(op, final))

    def committed_reports(self, final: bool) -> dict[int, list[WatermarkReport]]:
        """What is known of time at the end of the epoch where records go to sinks that read it, by ids of edges."""
        if not self._timing.committed:
            return {}
        return {
            edge.id: self._reports_of(op, final)
            for op in self._stage.operators()
            for edge in self._plan.outputs[op.id]
            if edge.id in self._timing.committed
        }

    def _reports_of(self, op: Operator, final: bool) -> list[WatermarkReport]:
        """The reports of all whose watermarks leave an operator."""
        reports: list[WatermarkReport] = []
        for origin in self._timing.origins[op.id]:
            if origin in self._timing.laned:
                reports += self._lane_reports(origin, final)
            else:
                reports.append(self._report_of(origin, final))
        return reports

    def _lane_reports(self, origin: int, final: bool) -> Iterator[WatermarkReport]:
        source = self._timing.laned[origin]
        over = final or source in self.task_plan.ended
        lanes = self._timestamps_host(self._plan.operators[origin]).lanes
        for lane, read in lanes.items():
            idle = Status.IDLE_NOW if read.output.idle else Status.ACTIVE
            status = Status.ACTIVE if over else idle if read.records else Status.QUIET
            yield WatermarkReport(origin, MAX_WATERMARK if over else read.output.watermark, status, lane)
        for of, lane in self.task_plan.silent:
            if of == source:
                status = Status.ACTIVE if over else Status.QUIET
                yield WatermarkReport(origin, MAX_WATERMARK if over else MIN_WATERMARK, status, lane)

    def _report_of(self, origin: int, final: bool) -> WatermarkReport:
        op = self._plan.operators[origin]
        if origin in self.task_plan.ended or final:
            return WatermarkReport(origin, MAX_WATERMARK, Status.ACTIVE)
        if isinstance(op, Timestamps):
            host = self._timestamps_host(op)
            if host.records:
                return WatermarkReport(origin, host.made, Status.IDLE_NOW if host.idle else Status.ACTIVE)
            if self._stage.level == 0:
                return WatermarkReport(origin, host.made, self._status_of(self._timing.sources[op.id], Status.QUIET))
            return WatermarkReport(origin, host.made, Status.QUIET)
        if isinstance(op, Source):
            return WatermarkReport(origin, MIN_WATERMARK, self._status_of({origin}, Status.ACTIVE))
        idle = self._watermarks.idle(op)
        watermark = _held_back(op, self._watermarks.of(op))
        return WatermarkReport(origin, watermark, Status.IDLE_NOW if idle else Status.ACTIVE)

    def _status_of(self, sources: Set[int], reading: Status) -> Status:
        """The status of a subtask, given that when it reads these sources: the splits of bounded ones come and go."""
        if sources & self.task_plan.read:
            return reading
        if not sources & self.task_plan.busy:
            return Status.WAITING
        bounded = all(op.source.bounded for op in self._plan.sources if op.id in sources)
        return Status.IDLE if bounded else Status.ABSENT


def _held_back(op: Operator, watermark: int) -> int:
    """The watermark after an operator, whose results may be behind its own."""
    delay = op.watermark_delay_ms
    return watermark if not delay or watermark == MAX_WATERMARK else max(watermark - delay, MIN_WATERMARK)
