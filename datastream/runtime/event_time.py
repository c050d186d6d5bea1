"""Event time in a subtask: watermarks on their way through its operators, and what they and the clock make fire."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from datastream.graph import Edge
from datastream.graph.operators import Operator, Reduce, Source, Timestamps
from datastream.time import MAX_WATERMARK, MIN_WATERMARK

from .chain_code import Chain
from .epoch_plan import TaskPlan
from .hosts import TimestampsHost
from .hosts.host import system_clock
from .timed_blocks import Mark, Said, Status
from .watermarks import Watermarks

if TYPE_CHECKING:
    from .stage import Stage


class EventTime:
    """Moves time on for the operators of a stage.

    Attributes:
        plan: What the subtask reads in this epoch; nothing, but at level 0.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._plan = stage.plan
        self._timing = stage.plan.timing
        self.plan = TaskPlan(stage.subtask)
        self._idle: dict[int, bool] = {}  # operator id -> what those behind it in the subtask know of it
        self._watermarks = Watermarks(stage.program, stage.level, stage.subtask, stage.store, system_clock())

    def before(self, op: Operator) -> int:
        """Event time of an operator at the end of the last epoch, in ms."""
        return self._watermarks.before(op)

    # -- watermarks --------------------------------------------------------------------------------

    def look_ahead(self, said: list[tuple[Edge, int, list[Said], bool]]) -> None:
        """Learn who has something to say in this epoch: who has not need not be waited for until its turn.

        Args:
            said: Edge, sending subtask, what it says at its end, and whether it sends records before.
        """
        for edge, sender, what, _ in said:
            self._watermarks.wake(edge, sender, what)
            self._tell_status(self._plan.operators[edge.target])
        everything: dict[int, list[Said]] = {}
        for edge, sender, what, speaks in said:
            everything.setdefault(edge.id, []).extend(what)
            if not speaks:
                self.settle(edge, sender, what)
        for id, what in everything.items():
            edge = self._plan.edges[id]
            if self._watermarks.keep_lanes(edge, what):
                self._advance(self._plan.operators[edge.target])

    def settle(self, edge: Edge, sender: int, said: list[Said]) -> None:
        """Take what a subtask says at the end of an epoch."""
        target = self._plan.operators[edge.target]
        if self._watermarks.settle(edge, sender, said):
            self._advance(target)
        self._tell_status(target)

    def save(self) -> int | None:
        """Remember watermarks for the next epoch; when the next silent subtask counts as idle, in ms, or None."""
        return self._watermarks.save()

    def receive(self, edge: Edge, sender: int, mark: Mark) -> None:
        """Take a watermark that came over an edge."""
        if self._watermarks.receive(edge, sender, mark.origin, mark.watermark, mark.lane):
            self._advance(self._plan.operators[edge.target])

    def _advance(self, op: Operator) -> None:
        """Event time of an operator went on: it does what is due, then those behind it hear of it."""
        watermark = self._watermarks.of(op)
        if isinstance(op, Timestamps):  # makes its own, until the last
            if watermark == MAX_WATERMARK:
                self.spread(self._stage.chain(op, True), op, op.id, watermark)
            return
        self._fire(op, watermark)
        if op.id in self._timing.combines:
            self.spread(self._stage.chain(op, op.hosted), op, op.id, watermark)

    def _fire(self, op: Operator, watermark: int) -> None:
        if op.hosted:
            host = self._stage.host(op)
            if watermark > host.watermark:
                self._stage.drain(op, host, host.advance(watermark))

    def spread(self, chain: Chain, op: Operator, origin: int, watermark: int) -> None:
        """Let a watermark follow the records that left by a chain."""
        if isinstance(op, Timestamps):
            self._watermarks.note_made(op, watermark)
        chain.context.watermark = max(watermark, chain.context.watermark)
        for edge in chain.ports:
            if edge.id not in self._timing.watermarked:
                continue
            if edge.id not in self._plan.local:
                if origin not in self._timing.laned:
                    self._stage.port(edge).mark(origin, watermark, None)
                continue
            target = self._plan.operators[edge.target]
            if self._watermarks.waits(edge) and self._watermarks.receive(edge, 0, origin, watermark):
                self._advance(target)
            if not isinstance(target, Timestamps) and target.id not in self._timing.combines:
                self._stage.finish(target)
                self.spread(self._stage.chain(target, target.hosted), target, origin, watermark)

    def spread_lane(self, chain: Chain, origin: int, watermark: int, lane: str) -> None:
        """Let the watermark of a source's lane follow the records that left the subtask."""
        for edge in chain.ports:
            if edge.id not in self._timing.watermarked:
                continue
            if edge.id not in self._plan.local:
                self._stage.port(edge).mark(origin, watermark, lane)
                continue
            target = self._plan.operators[edge.target]
            if not isinstance(target, Timestamps) and target.id not in self._timing.combines:
                self._stage.finish(target)
                self.spread_lane(self._stage.chain(target, target.hosted), origin, watermark, lane)

    def wake(self, op: Operator) -> None:
        """An operator that makes watermarks has records: whoever took it for idle waits for it again."""
        if self._stage.level:
            self._pass_status(self._stage.chain(op, True), op.id, idle=False)

    def _tell_status(self, op: Operator) -> None:
        """Tell those behind an operator in the same subtask whether it is idle, when that has changed."""
        idle = self._watermarks.idle(op)
        if op.id in self._timing.combines and not isinstance(op, Timestamps) and self._idle.get(op.id) != idle:
            self._idle[op.id] = idle
            self._pass_status(self._stage.chain(op, op.hosted), op.id, idle)

    def _pass_status(self, chain: Chain, origin: int, idle: bool) -> None:
        for edge in chain.ports:
            if edge.id not in self._timing.watermarked or edge.id not in self._plan.local:
                continue
            target = self._plan.operators[edge.target]
            if self._watermarks.waits(edge) and self._watermarks.note_status(edge, origin, idle):
                self._advance(target)
            if target.id in self._timing.combines:
                self._tell_status(target)
            else:
                self._pass_status(self._stage.chain(target, target.hosted), origin, idle)

    def settle_inside(self, final: bool) -> None:
        """Let those behind operators that make watermarks, in this subtask, hear what these say at the epoch's end."""
        if self._stage.level and self._timing.watermarked:
            for op in self._stage.mine():
                if isinstance(op, Timestamps):
                    self._settle_inside(self._stage.chain(op, True), self._said(op.id, final))

    def _settle_inside(self, chain: Chain, said: Said) -> None:
        """Let those behind an operator that makes watermarks, in the same subtask, hear what it says at the end."""
        for edge in chain.ports:
            if edge.id in self._timing.watermarked and edge.id in self._plan.local:
                target = self._plan.operators[edge.target]
                if self._watermarks.waits(edge):
                    self.settle(edge, 0, [said])
                if target.id not in self._timing.combines:
                    self._settle_inside(self._stage.chain(target, target.hosted), said)

    def begin_split(self, source: Operator, more: bool, lane: str | None) -> None:
        """A split of a source is about to be read; inside the subtask time waits until the last one's end."""
        for id, of in self._timing.laned.items():
            if of == source.id:
                self._stamps(self._plan.operators[id]).begin_split(more, lane)
        for edge in self._plan.outputs[source.id]:
            target = self._plan.operators[edge.target]
            if isinstance(target, Timestamps) and target.id not in self._timing.laned and edge.id in self._plan.local:
                self._stamps(target).begin_split(more, None)

    def end_lanes(self) -> None:
        """Inside a subtask the lowest watermark of its lanes counts, once all have been read."""
        for id in self._timing.laned:
            op = self._plan.operators[id]
            if self._stage.level == 0 and id in self._stage.hosts and (made := self._stamps(op).made) > MIN_WATERMARK:
                self.spread(self._stage.chain(op, True), op, id, made)

    def _stamps(self, op: Operator) -> TimestampsHost:
        host = self._stage.host(op)
        assert isinstance(host, TimestampsHost)
        return host

    def end_sources(self) -> None:
        """At level 0: sources that have ended will hold back nobody."""
        if self._stage.level or not self._timing.watermarked:
            return
        for id in sorted(self.plan.ended):
            source = self._plan.operators[id]
            if self._stage.subtask < self._plan.subtasks[id]:
                self.spread(self._stage.chain(source, True), source, id, MAX_WATERMARK)

    def tick(self) -> None:
        """Fire what is due by the clock."""
        if not self._timing.awake or self._stage.level == 0 or self._plan.graph.batch:
            return
        for op in self._stage.mine():
            if op.hosted and not isinstance(op, Reduce):
                host = self._stage.host(op)
                self._stage.drain(op, host, host.tick(system_clock()))

    def end(self) -> None:
        """The end of all input: the last watermark, and what operators give then."""
        for op in self._stage.mine():
            if not op.hosted:
                if (op.id, False) in self._stage.chains:
                    self._stage.chain(op, False).context.watermark = MAX_WATERMARK
                continue
            host = self._stage.host(op)
            if host.watermark < MAX_WATERMARK:
                self._stage.drain(op, host, host.advance(MAX_WATERMARK))
            self._stage.drain(op, host, host.end())
            self._stage.chain(op, True).context.watermark = MAX_WATERMARK

    def tell(self, final: bool) -> None:
        """Say over every edge that leaves the task what we know of time at the end of the epoch."""
        for op in self._stage.mine():
            for edge in self._plan.outputs[op.id]:
                if edge.id in self._timing.watermarked and edge.id not in self._plan.local:
                    said: list[Said] = []
                    for origin in self._timing.origins[op.id]:
                        if origin in self._timing.laned:
                            said += self._said_of_lanes(origin, final)
                        else:
                            said.append(self._said(origin, final))
                    self._stage.port(edge).say(said)

    def _said_of_lanes(self, origin: int, final: bool) -> Iterator[Said]:
        source = self._timing.laned[origin]
        over = final or source in self.plan.ended
        lanes = self._stamps(self._plan.operators[origin]).lanes
        for lane, read in lanes.items():
            idle = Status.IDLE_NOW if read.output.idle else Status.ACTIVE
            status = Status.ACTIVE if over else idle if read.records else Status.QUIET
            yield Said(origin, MAX_WATERMARK if over else read.output.watermark, status, lane)
        for of, lane in self.plan.silent:
            if of == source:
                status = Status.ACTIVE if over else Status.QUIET
                yield Said(origin, MAX_WATERMARK if over else MIN_WATERMARK, status, lane)

    def _said(self, origin: int, final: bool) -> Said:
        op = self._plan.operators[origin]
        if origin in self.plan.ended or final:
            return Said(origin, MAX_WATERMARK, Status.ACTIVE)
        if isinstance(op, Timestamps):
            host = self._stamps(op)
            if host.records:
                return Said(origin, host.made, Status.IDLE_NOW if host.idle else Status.ACTIVE)
            if self._stage.level == 0:
                sources = self._timing.sources[op.id]
                return Said(origin, host.made, Status.QUIET if sources & self.plan.read else self._absent(sources))
            return Said(origin, host.made, Status.QUIET)
        if isinstance(op, Source):
            return Said(origin, MIN_WATERMARK, Status.ACTIVE if origin in self.plan.read else self._absent({origin}))
        idle = self._watermarks.idle(op)
        return Said(origin, self._watermarks.of(op), Status.IDLE_NOW if idle else Status.ACTIVE)

    def _absent(self, sources: Set[int]) -> Status:
        """What a subtask is that read no split of these sources: the splits of bounded ones come and go."""
        if not sources & self.plan.busy:
            return Status.WAITING
        bounded = all(op.source.bounded for op in self._plan.sources if op.id in sources)
        return Status.IDLE if bounded else Status.ABSENT
