"""The operators of one level at work: records on their way through chains, hosts and ports."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter_ns
from typing import Any

from datastream.graph import Edge
from datastream.graph.operators import Feedback, Iteration, Operator, Sink, Timestamps
from datastream.metrics import Kept, KeptChange, SubtaskMeasures
from datastream.time import MAX_WATERMARK, MIN_WATERMARK

from .blocks import Outbox, TaskMetrics
from .chain_code import Chain
from .event_time import EventTime
from .health import Intake
from .hosts import Host, Out, TimestampsHost
from .key_groups import groups_of
from .loop import Loop
from .meter import Meter, MeteredStore, together
from .pages import Store
from .port import Port
from .program import Program
from .sinking import SinkWriters
from .user_errors import user_failure


class Stage:
    """Runs the operators of one level for one subtask and one epoch.

    Args:
        program: The job.
        level: Index of the level.
        subtask: Index of the subtask.
        epoch: Number of the micro-batch.
        store: The entries of state, if the level has any.
        writers: Of the sinks.
        outbox: Takes what leaves the subtask.

    Attributes:
        metrics: What was counted.
        hosts: Those that have begun the epoch, by operator id.
        intakes: What they got, by operator id.
        chains: Those that have run, by (operator id, whether they begin after it).
        ports: Those that something left by, by edge id.
        loops: Those that something entered, by the ids of their heads.
        time: Event time of the operators, and their timers.
        meter: Measures the operators; None: they are not measured.
    """

    def __init__(
        self,
        program: Program,
        level: int,
        subtask: int,
        epoch: int,
        store: Store | None,
        writers: SinkWriters,
        outbox: Outbox,
    ) -> None:
        self.program, self.plan = program, program.plan
        self.level, self.subtask, self.epoch = level, subtask, epoch
        self.store = store
        self.metrics = TaskMetrics()
        self.meter = Meter() if program.spec.measured else None
        self.emit = outbox.emit
        self.hosts: dict[int, Host] = {}
        self.intakes: dict[int, Intake] = {}
        self.chains: dict[tuple[int, bool], Chain] = {}
        self.ports: dict[int, Port] = {}
        self.loops: dict[int, Loop] = {}
        self._writers = writers
        self._local = program.plan.local
        self.time = EventTime(self)

    # -- records -----------------------------------------------------------------------------------

    def input(self, edge: Edge, records: list[Any], keys: list[Any] | None, times: list[int | None] | None) -> None:
        """Hand records to the operator that an edge leads to."""
        target = self.plan.operators[edge.target]
        if isinstance(target, Sink):
            self._write(target, records, times)
        elif isinstance(target, Feedback):
            self.loop(target.head).feed_back(records, times)
        elif target.id in self.plan.loops:
            self.loop(target.id).enter(records, times)
        elif isinstance(target, Timestamps):
            self._assign_timestamps(target, records, times)
        elif target.hosted:
            host = self.host(target)
            self.intakes[target.id].take(records, keys)
            began = perf_counter_ns()
            try:
                out = host.process(self.plan.sides[edge.id], records, keys, times)
            except BaseException as error:
                raise self._host_failure(host, error) from error
            if self.meter is not None:
                self.meter.busy_ns[target.id] += perf_counter_ns() - began
            self._forward(target, out)
        else:
            self.run(self.chain(target, False), records, times)

    def run(self, chain: Chain, records: list[Any], times: list[int | None] | None) -> None:
        """Run records through a fused chain, and hand on what comes out."""
        if times is None and chain.timed:
            times = [None] * len(records)  # a list: several ports may share it
        began = perf_counter_ns()
        try:
            results = chain.run(records, times)
        except BaseException as error:
            raise self._chain_failure(chain, error) from error
        if self.meter is not None and chain.tally is not None:
            self.meter.busy_ns[chain.head] += perf_counter_ns() - began
            chain.tally.inputs += len(records)
        for edge, (some, keys, their_times) in zip(chain.ports, results, strict=True):
            if not some:
                continue
            if edge.id in self._local:
                self.input(edge, some, keys, their_times)
            else:
                self.port(edge).push(some, keys, their_times)

    def _forward(self, op: Operator, out: Out) -> None:
        """Hand on what a host gave."""
        if out[0]:
            self.intakes[op.id].gave = True
            self.run(self.chain(op, True), *out)

    def _assign_timestamps(self, op: Operator, records: list[Any], times: list[int | None] | None) -> None:
        host = self.host(op)
        assert isinstance(host, TimestampsHost)
        if not host.records:
            self.time.mark_active(op)
        chain = self.chain(op, True)
        stamped = host.stamp(records, times)
        if self.meter is not None:
            self.meter.received[op.id] += len(records)
            stamped = self.meter.timed(op.id, stamped)
        while True:
            try:
                part = next(stamped, None)
            except BaseException as error:
                raise self._host_failure(host, error) from error
            if part is None:
                return
            some, stamps, watermark = part
            if some:
                self.run(chain, some, stamps if chain.timed else None)
            if watermark is not None:
                if host.lane is None:
                    self.time.propagate(chain, op, op.id, watermark)
                else:
                    self.time.propagate_lane(chain, op.id, watermark, host.lane)

    def _write(self, sink: Sink, records: list[Any], times: list[int | None] | None) -> None:
        counts = self.metrics.records_out
        counts[sink.id] = counts.get(sink.id, 0) + len(records)
        if sink.sink.consumed.records:
            began = perf_counter_ns()
            self._writers.write(sink, records, times)
            if self.meter is not None:
                self.meter.busy_ns[sink.id] += perf_counter_ns() - began

    def drain(self, op: Operator, host: Host, outs: Iterator[Out]) -> None:
        """Hand on all that a host emits."""
        if self.meter is not None:
            outs = self.meter.timed(op.id, outs)
        while True:
            try:
                out = next(outs, None)
            except BaseException as error:
                raise self._host_failure(host, error) from error
            if out is None:
                return
            self._forward(op, out)

    def finish_all(self) -> None:
        """Let all operators finish what is under way; in a loop, also what comes of that."""
        fed_back = -1
        while fed_back != (fed_back := sum(loop.fed_back for loop in self.loops.values())):
            for loop in self.loops.values():
                loop.begin_pass()
            for op in self.operators():  # what one gives may be the first record of one after it
                self.finish(op)

    def finish(self, op: Operator, watermark: int | None = None) -> None:
        """Let an operator finish what is under way, or what must come before a watermark."""
        host = self.hosts.get(op.id)
        if host is not None:
            self.drain(op, host, host.drain() if watermark is None else host.drain_before(watermark))

    def flush(self) -> list[int | None]:
        """Let all hosts write their state back; when their next timers of processing time are due, in ms."""
        due = []
        for id, host in self.hosts.items():
            began = perf_counter_ns()
            due.append(host.flush())
            if self.meter is not None:
                self.meter.busy_ns[id] += perf_counter_ns() - began
        return due

    def measures(self) -> dict[int, SubtaskMeasures]:
        """What each operator did in the epoch, by its id; empty where it is not measured."""
        meter = self.meter
        if meter is None:
            return {}
        for id, intake in self.intakes.items():
            meter.received[id] += intake.records
        for id, records in self.metrics.records_in.items():
            meter.received[id] += records
        for id, records in self.metrics.records_out.items():
            meter.received[id] += records
        for id, kept in meter.kept.items():
            meter.kept[id] = kept._replace(change=together(each.change for each in self.hosts[id].pages()))
            self.program.told.add((id, self.subtask))
        for id, host in self.hosts.items():
            if isinstance(host, TimestampsHost):
                if host.records:
                    self._note_parts(id, host)
            elif (sample := self.intakes[id].sample(self.plan.key_groups[id])) is not None:
                meter.samples[id] = sample
        watermarks = {id: host.watermark for id, host in self.hosts.items()} if self.plan.timing.watermarked else {}
        return meter.measures(self.chains.values(), watermarks)

    def _note_parts(self, id: int, host: TimestampsHost) -> None:
        """Note the watermarks that an operator made, also where a source has partitions that they are of."""
        assert self.meter is not None
        if not host.lanes:
            self.meter.parts[id] = {str(self.subtask): host.made}
            return
        lanes = {lane: read.output.watermark for lane, read in host.lanes.items() if read.records}
        source = self.plan.timing.laned[id]
        known = self.meter.parts.get(source, {})
        self.meter.parts[id] = lanes
        self.meter.parts[source] = {lane: min(mark, known.get(lane, mark)) for lane, mark in lanes.items()}

    def watermark(self) -> int | None:
        """The lowest event time of the operators, in ms; None where there is none yet, or at the end of time."""
        known = (host.watermark for host in self.hosts.values())
        return min((mark for mark in known if MIN_WATERMARK < mark < MAX_WATERMARK), default=None)

    # -- operators ---------------------------------------------------------------------------------

    def chain(self, op: Operator, outputs_only: bool) -> Chain:
        """The fused chain that begins with an operator, or right after it."""
        key = (op.id, outputs_only)
        chain = self.chains.get(key)
        if chain is None:
            chain = self.chains[key] = self.program.chain(op, outputs_only)
            if chain.tally is not None:
                chain.tally.begin()
            chain.context.watermark = self.time.before(op)  # each one that came since made the chain
        return chain

    def loop(self, head: int) -> Loop:
        """The loop that begins with an operator."""
        loop = self.loops.get(head)
        if loop is None:
            op = self.plan.operators[head]
            assert isinstance(op, Iteration)
            chain = self.chain(op, False)
            loop = self.loops[head] = Loop(op, lambda records, times: self.run(chain, records, times))
        return loop

    def port(self, edge: Edge) -> Port:
        """Where records leave by an edge."""
        port = self.ports.get(edge.id)
        if port is None:
            port = self.ports[edge.id] = Port(self.program, edge, self.subtask, self.epoch, self.emit)
        return port

    def host(self, op: Operator) -> Host:
        """What runs an operator of a hosted kind; it begins the epoch when it is first needed."""
        host = self.hosts.get(op.id)
        if host is None:
            host = self.hosts[op.id] = self.program.host(op)
            subtasks = self.plan.subtasks[op.id]
            self.intakes[op.id] = Intake(samples=op.keyed and (subtasks > 1 or self.meter is not None))
            groups = groups_of(self.subtask, subtasks, self.plan.key_groups[op.id])
            store = self.store if self.store is None or self.meter is None else MeteredStore(self.store)
            host.begin(store, groups, self.time.before(op))
            if self.meter is not None and (pages := host.pages()):
                told = (op.id, self.subtask) in self.program.told
                before = None if told else together(each.kept(groups) for each in pages)
                self.meter.kept[op.id] = KeptChange(Kept(), before)
        return host

    def operators(self) -> Iterator[Operator]:
        """The operators that this subtask has a part of."""
        for op in self.plan.levels[self.level].operators:
            if not isinstance(op, (Sink, Feedback)) and self.subtask < self.plan.subtasks[op.id]:
                yield op

    # -- errors ------------------------------------------------------------------------------------

    def _host_failure(self, host: Host, error: BaseException) -> BaseException:
        return user_failure(error, host.op, host.what, host.record, error.__traceback__)

    def _chain_failure(self, chain: Chain, error: BaseException) -> BaseException:
        found = chain.failed_step(error.__traceback__)
        if found is None:  # not in the generated code: ours, not the user's
            raise error
        step, record, trace = found
        function = None if step.what == "function" else step.what
        return user_failure(error, step.operator, function, record, trace)
