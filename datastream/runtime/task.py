"""One subtask of one stage in one epoch: the same code under Spark and in the local executor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

from datastream.errors import FormatError
from datastream.graph import Edge, Kind, Operator
from datastream.metrics import CounterValue, MetricValues, merge
from datastream.time import MAX_WATERMARK, MIN_WATERMARK
from datastream.types.pickles import dumps

from .blame import user_failure
from .blocks import BLOCK_BYTES, CONTROL, REPORT, Block, TaskMetrics
from .codegen import Chain
from .hosts import Host, Out, TimestampsHost
from .hosts.host import system_clock
from .key_groups import groups_of
from .pages import Store
from .port import Port
from .program import Program
from .sinking import SinkWriters, TaskCommit
from .timed_blocks import Said, Status, unwrap
from .watermarks import Watermarks

#: What control blocks say: nothing but that the epoch is there, or that it is the last one.
GOES_ON = dumps({"final": False})
FINAL = dumps({"final": True})

_LOW = 0xFFFFFFFF


class Task:
    """Runs the operators of one level for one subtask and one epoch.

    Args:
        program: The job.
        level: Index of the level.
        subtask: Index of the subtask; the slot that Spark's exchange brings blocks to.
        epoch: Number of the micro-batch.
        store: The entries of state, if the level has any.
        attempt: Number of the attempt at this task, from 0.
        unique: A number that no other attempt of the run has; default: the epoch's.

    As a context manager it cleans up what its sinks wrote when it fails.

    Attributes:
        metrics: What was counted.
        final: All sources have ended.
        ended: Ids of the sources that have ended; only known at level 0.
    """

    def __init__(
        self,
        program: Program,
        level: int,
        subtask: int,
        epoch: int,
        store: Store | None = None,
        attempt: int = 0,
        unique: int | None = None,
    ) -> None:
        self.program = program = program.of_subtask(subtask)
        self.level = level
        self.subtask = subtask
        self.epoch = epoch
        self.metrics = TaskMetrics()
        self.final = False
        self.ended: frozenset[int] = frozenset()
        self._read: set[int] = set()
        self._store = store
        self._origin = level << 32 | subtask
        self._sequence = 0
        self._out: list[Block] = []
        self._out_bytes = 0
        self._ports: dict[int, Port] = {}
        self._hosts: dict[int, Host] = {}
        self._chains: dict[tuple[int, bool], Chain] = {}
        self._now = system_clock()
        self._watermarks = Watermarks(program, level, subtask, store, self._now)
        self._writers = SinkWriters(program, subtask, epoch, epoch if unique is None else unique)
        for op, open_it in program.open(level, subtask, attempt):
            try:
                open_it()
            except Exception as error:
                name = f"{type(op.instance).__qualname__}.open"
                raise user_failure(error, op, name, None, error.__traceback__) from error

    def __enter__(self) -> Task:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            self._writers.abort()

    # -- input -------------------------------------------------------------------------------------

    def read(self, source: Operator, split: Any) -> Iterator[list[Block]]:
        """Read one split of a source; gives blocks whenever some megabytes are ready."""
        count = 0
        self._read.add(source.id)
        chain = self._chain(source, True)
        blocks = iter(source.function.read(split))
        while True:
            try:
                records = next(blocks, None)
            except Exception as error:
                name = f"{type(source.function).__qualname__}.read"
                raise user_failure(error, source, name, trace=error.__traceback__) from error
            if records is None:
                break
            count += len(records)
            self._run(chain, records, None)
            if self._out_bytes > 4 * BLOCK_BYTES:
                yield self.take()
        known = self.metrics.records_in
        known[source.id] = known.get(source.id, 0) + count

    def receive(self, blocks: Iterable[Block]) -> Iterator[list[Block]]:
        """Take the blocks of an exchange, in any order; each sender's are run in the order it sent them."""
        ordered = sorted(blocks, key=self._order)
        self._look_ahead(ordered)
        self._tick()
        for block in ordered:
            if block.channel == CONTROL:
                self.final = self.final or block.data == FINAL
            elif block.channel == REPORT or not self._is_for_me(block):
                self._out.append(block)
                self._out_bytes += len(block.data)
            else:
                self._deliver(block)
            if self._out_bytes > 4 * BLOCK_BYTES:
                yield self.take()

    def finish(self) -> list[Block]:
        """End the epoch: final results, state written back, buffers sent, metrics told."""
        self._end_sources()
        self._tick()
        if self.final:
            self._end()
        for op in self._mine():  # what one gives may be the first record of one behind it
            self._rest(op)
        next_timers = [host.flush() for host in self._hosts.values()]
        self._tell_watermarks()
        for port in self._ports.values():
            port.flush()
        next_timers.append(self._watermarks.save())
        commit = TaskCommit(
            metrics=self.metrics,
            committables=self._writers.finish(),
            final=self.final,
            place=(self.level, self.subtask),
            next_timer=min((t for t in next_timers if t is not None), default=None),
            user_metrics=merge((self.program.take_metrics(self.level), self._late_dropped())),
        )
        if self.final:
            self.program.close(self.level)
        if (self.final or self.program.timing.awake) and self.level < len(self.program.levels) - 1:
            for slot in range(self.program.width):
                self.emit(slot, CONTROL, 0, FINAL if self.final else GOES_ON)
        self.emit(self.subtask, REPORT, 0, dumps(commit))
        return self.take()

    def _late_dropped(self) -> MetricValues:
        """Late records that operators dropped, by Flink's name of that metric."""
        return {
            f"{host.op.state_uid}.numLateRecordsDropped": CounterValue(dropped)
            for host in self._hosts.values()
            if (dropped := getattr(host, "late_dropped", 0))
        }

    # -- output ------------------------------------------------------------------------------------

    def emit(self, slot: int, channel: int, count: int, data: bytes) -> None:
        self._out.append(Block(slot, channel, self._origin, self._sequence, count, data))
        self._sequence += 1
        self._out_bytes += len(data)

    def take(self) -> list[Block]:
        out, self._out, self._out_bytes = self._out, [], 0
        return out

    # -- blocks of other tasks ---------------------------------------------------------------------

    def _order(self, block: Block) -> tuple[bool, int, int]:
        """Broadcast state is made before the records that use it."""
        edge = self.program.edges.get(block.channel)
        return edge is None or edge.id not in self.program.broadcast_state, block.origin, block.sequence

    def _is_for_me(self, block: Block) -> bool:
        target = self.program.edges[block.channel].target
        return self.program.level_of[target] == self.level

    def _look_ahead(self, blocks: list[Block]) -> None:
        """Learn who has something to say in this epoch: who has not need not be waited for until its turn."""
        watermarked = self.program.timing.watermarked
        if not watermarked:
            return
        mine = [block for block in blocks if block.channel in watermarked and self._is_for_me(block)]
        speakers = {(block.channel, block.origin) for block in mine if block.size}
        silent = []
        for block in mine:
            if block.size == 0 and (said := unwrap(block.data)[0].said):
                edge, sender = self.program.edges[block.channel], block.origin & _LOW
                self._watermarks.wake(edge, sender, said)
                if (block.channel, block.origin) not in speakers:
                    silent.append((edge, sender, said))
        for edge, sender, said in silent:
            if self._watermarks.settle(edge, sender, said):
                self._advance(self.program.graph.operator(edge.target))

    def _deliver(self, block: Block) -> None:
        edge = self.program.edges[block.channel]
        timing = self.program.timing
        if edge.id not in timing.timed and edge.id not in timing.watermarked:
            self._input(edge, *self._load(edge, block.data), None)
            return
        frame, data = unwrap(block.data)
        sender = block.origin & _LOW
        if block.size:
            records, keys = self._load(edge, data)
            times = frame.times
            start = 0
            for mark in frame.marks:
                if mark.position > start:
                    here = slice(start, mark.position)
                    self._input(edge, records[here], keys and keys[here], times and times[here])
                    start = mark.position
                self._watermark(edge, sender, mark.origin, mark.watermark)
            if start < len(records):
                self._input(edge, records[start:], keys and keys[start:], times and times[start:])
        else:
            for mark in frame.marks:
                self._watermark(edge, sender, mark.origin, mark.watermark)
        if frame.said and self._watermarks.settle(edge, sender, frame.said):
            self._advance(self.program.graph.operator(edge.target))

    def _load(self, edge: Edge, data: bytes | memoryview) -> tuple[list[Any], list[Any] | None]:
        try:
            return self.program.serializer(edge).loads(data)
        except FormatError as error:
            source = self.program.graph.operator(edge.source)
            raise user_failure(error, source, trace=error.__traceback__) from error

    # -- records -----------------------------------------------------------------------------------

    def _input(self, edge: Edge, records: list[Any], keys: list[Any] | None, times: list[int | None] | None) -> None:
        """Hand records to the operator that an edge leads to."""
        target = self.program.graph.operator(edge.target)
        if target.kind is Kind.SINK:
            self._write(target, records)
        elif target.kind is Kind.TIMESTAMPS:
            self._stamp(target, records, times)
        elif target.kind.hosted:
            host = self._host(target)
            try:
                out = host.process(self.program.side(edge), records, keys, times)
            except (Exception, SystemExit) as error:
                raise self._host_failure(host, error) from error
            self._give(target, out)
        else:
            self._run(self._chain(target, False), records, times)

    def _run(self, chain: Chain, records: list[Any], times: Iterable[int | None] | None) -> None:
        if times is None and chain.timed:
            times = repeat(None, len(records))
        try:
            results = chain.run(records, times)
        except (Exception, SystemExit) as error:
            raise self._blame(chain, error) from error
        for edge, (some, keys, their_times) in zip(chain.ports, results, strict=True):
            if not some:
                continue
            if self._stays(edge):
                self._input(edge, some, keys, their_times)
            else:
                self._port(edge).push(some, keys, their_times)

    def _stays(self, edge: Edge) -> bool:
        return not edge.partitioner.exchanges and self.program.level_of[edge.target] == self.level

    def _give(self, op: Operator, out: Out) -> None:
        """Hand on what a host gave."""
        if out[0]:
            self._run(self._chain(op, True), *out)

    def _stamp(self, op: Operator, records: list[Any], times: list[int | None] | None) -> None:
        host = self._host(op)
        assert isinstance(host, TimestampsHost)
        chain = self._chain(op, True)
        try:
            for some, stamps, watermark in host.stamp(records, times):
                if some:
                    self._run(chain, some, stamps if chain.timed else None)
                if watermark is not None:
                    self._spread(chain, op, op.id, watermark)
        except (Exception, SystemExit) as error:
            raise self._host_failure(host, error) from error

    def _chain(self, op: Operator, outputs_only: bool) -> Chain:
        key = (op.id, outputs_only)
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = self.program.chain(op, outputs_only)
            chain.context.watermark = self._watermarks.before(op)  # each one that came since made the chain
        return chain

    def _port(self, edge: Edge) -> Port:
        port = self._ports.get(edge.id)
        if port is None:
            port = self._ports[edge.id] = Port(self, edge)
        return port

    # -- time --------------------------------------------------------------------------------------

    def _watermark(self, edge: Edge, sender: int, origin: int, watermark: int) -> None:
        """Take a watermark that came over an edge."""
        if self._watermarks.receive(edge, sender, origin, watermark):
            self._advance(self.program.graph.operator(edge.target))

    def _advance(self, op: Operator) -> None:
        """Event time of an operator went on: it does what is due, then those behind it hear of it."""
        watermark = self._watermarks.of(op)
        if op.kind is Kind.TIMESTAMPS:  # makes its own, until the last
            if watermark == MAX_WATERMARK:
                self._spread(self._chain(op, True), op, op.id, watermark)
            return
        self._fire(op, watermark)
        if self.program.timing.combines(op):
            self._spread(self._chain(op, op.kind.hosted), op, op.id, watermark)

    def _fire(self, op: Operator, watermark: int) -> None:
        if op.kind.hosted:
            host = self._host(op)
            if watermark > host.watermark:
                self._drain(op, host, host.advance(watermark))

    def _rest(self, op: Operator) -> None:
        """Let an operator finish what is under way."""
        host = self._hosts.get(op.id)
        if host is not None:
            self._drain(op, host, host.rest())

    def _drain(self, op: Operator, host: Host, outs: Iterator[Out]) -> None:
        while True:
            try:
                out = next(outs, None)
            except (Exception, SystemExit) as error:
                raise self._host_failure(host, error) from error
            if out is None:
                return
            self._give(op, out)

    def _spread(self, chain: Chain, op: Operator, origin: int, watermark: int) -> None:
        """Let a watermark follow the records that left by a chain."""
        chain.context.watermark = watermark
        for edge in chain.ports:
            if edge.id not in self.program.timing.watermarked:
                continue
            if not self._stays(edge):
                self._port(edge).mark(origin, watermark)
                continue
            target = self.program.graph.operator(edge.target)
            if self._watermarks.receive(edge, 0, origin, watermark):
                self._advance(target)
            if target.kind is not Kind.TIMESTAMPS and not self.program.timing.combines(target):
                self._rest(target)
                self._spread(self._chain(target, target.kind.hosted), target, origin, watermark)

    def _end_sources(self) -> None:
        """At level 0: sources that have ended will hold back nobody."""
        if self.level or not self.program.timing.watermarked:
            return
        for id in sorted(self.ended):
            source = self.program.graph.operator(id)
            if self.subtask < self.program.graph.subtasks(source):
                self._spread(self._chain(source, True), source, id, MAX_WATERMARK)

    def _tick(self) -> None:
        """Fire what is due by the clock."""
        if not self.program.timing.awake or self.level == 0 or self.program.graph.batch:
            return
        for op in self._mine():
            if op.kind.hosted and op.kind is not Kind.REDUCE:
                host = self._host(op)
                self._drain(op, host, host.tick(system_clock()))

    def _end(self) -> None:
        """The end of all input: the last watermark, and what operators give then."""
        for op in self._mine():
            if not op.kind.hosted:
                for outputs_only in (False, True):
                    if (op.id, outputs_only) in self._chains:
                        self._chains[op.id, outputs_only].context.watermark = MAX_WATERMARK
                continue
            host = self._host(op)
            self._chain(op, True).context.watermark = MAX_WATERMARK
            if host.watermark < MAX_WATERMARK:
                self._drain(op, host, host.advance(MAX_WATERMARK))
            self._drain(op, host, host.end())

    def _tell_watermarks(self) -> None:
        """Say over every edge that leaves the task what we know of time at the end of the epoch."""
        program = self.program
        for op in self._mine():
            for edge in program.graph.outputs(op.id):
                if edge.id in program.timing.watermarked and not self._stays(edge):
                    self._port(edge).say([self._said(origin) for origin in sorted(program.timing.origins(op))])

    def _said(self, origin: int) -> Said:
        op = self.program.graph.operator(origin)
        if origin in self.ended or self.final:
            return Said(origin, MAX_WATERMARK, Status.ACTIVE)
        if op.kind is Kind.TIMESTAMPS:
            host = self._host(op)
            assert isinstance(host, TimestampsHost)
            if host.records:
                return Said(origin, host.made, Status.IDLE if host.idle else Status.ACTIVE)
            if self.level == 0:
                sources = self.program.timing.sources(op)
                return Said(origin, host.made, Status.QUIET if sources & self._read else self._absent(sources))
            return Said(origin, host.made, Status.QUIET)
        if op.kind is Kind.SOURCE:
            return Said(origin, MIN_WATERMARK, Status.ACTIVE if origin in self._read else self._absent({origin}))
        return Said(origin, self._watermarks.of(op), Status.IDLE if self._watermarks.idle(op) else Status.ACTIVE)

    def _absent(self, sources: set[int]) -> Status:
        """What a subtask is that read no split of these sources: the splits of bounded ones come and go."""
        bounded = all(self.program.graph.operator(id).function.bounded for id in sources)
        return Status.IDLE if bounded else Status.ABSENT

    # -- operators ---------------------------------------------------------------------------------

    def _mine(self) -> Iterator[Operator]:
        """The operators that this subtask has a part of."""
        graph = self.program.graph
        for op in self.program.levels[self.level].operators:
            if op.kind is not Kind.SINK and self.subtask < graph.subtasks(op):
                yield op

    def _write(self, sink: Operator, records: list[Any]) -> None:
        counts = self.metrics.records_out
        counts[sink.id] = counts.get(sink.id, 0) + len(records)
        if not sink.function.discards:
            self._writers.write(sink, records)

    def _host(self, op: Operator) -> Host:
        host = self._hosts.get(op.id)
        if host is None:
            host = self._hosts[op.id] = self.program.host(op)
            groups = groups_of(self.subtask, self.program.graph.subtasks(op), self.program.max_parallelism(op))
            host.begin(self._store, groups, self._watermarks.before(op))
        return host

    # -- errors ------------------------------------------------------------------------------------

    def _host_failure(self, host: Host, error: BaseException) -> BaseException:
        return user_failure(error, host.op, host.what, host.record, error.__traceback__)

    def _blame(self, chain: Chain, error: BaseException) -> BaseException:
        found = chain.blame(error.__traceback__)
        if found is None:  # not in the generated code: ours, not the user's
            raise error
        step, record, trace = found
        function = None if step.what == "function" else step.what
        return user_failure(error, step.operator, function, record, trace)
