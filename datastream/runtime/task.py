"""One subtask of one stage in one epoch: the same code under Spark and in the local executor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from datastream.errors import FormatError
from datastream.graph import Broadcast, Edge, Kind, Operator
from datastream.types.pickles import NotPicklableError, dumps

from .blame import user_failure
from .blocks import BLOCK_BYTES, BLOCK_RECORDS, CONTROL, REPORT, Block, TaskMetrics
from .codegen import Chain
from .key_groups import groups_of
from .pages import PagedState, Store
from .placing import placement
from .program import Program
from .reduce import ReduceHost
from .sinking import SinkWriters, TaskCommit, pickling_failure

FINAL = dumps({"final": True})


class Port:
    """Where records leave a task on one edge: gathers them, places them, makes blocks."""

    def __init__(self, task: Task, edge: Edge) -> None:
        program, graph = task.program, task.program.graph
        source, target = graph.operator(edge.source), graph.operator(edge.target)
        self.edge = edge
        self._task = task
        self._targets = graph.subtasks(target)
        self._place = placement(
            edge.partitioner,
            task.subtask % graph.subtasks(source),
            graph.subtasks(source),
            graph.subtasks(target),
            task.epoch,
            program.placement(edge),
        )
        self._serializer = program.serializer(edge)
        self._records: list[Any] = []
        self._keys: list[Any] = []
        self._limit = BLOCK_RECORDS * min(self._targets, 16)

    def push(self, records: list[Any], keys: list[Any] | None) -> None:
        self._records += records
        if keys:
            self._keys += keys
        if len(self._records) >= self._limit:
            self.flush()

    def flush(self) -> None:
        records, keys = self._records, self._keys
        if not records:
            return
        self._records, self._keys = [], []
        sent = 0
        data = b""
        same = isinstance(self.edge.partitioner, Broadcast)
        for target, some, their_keys in self._placed(records, keys or None):
            if some:
                if not data or not same:
                    data = self._dump(some, their_keys)
                sent += len(data)
                self._task.emit(target, self.edge.id, len(some), data)
        if sent > BLOCK_BYTES:  # large records: fewer of them at a time
            self._limit = max(1, min(self._limit, BLOCK_BYTES * len(records) // sent))

    def _placed(self, records: list[Any], keys: list[Any] | None) -> Iterator[tuple[int, list[Any], list[Any] | None]]:
        try:
            yield from self._place(records, keys)
        except Exception as error:
            target = self._task.program.graph.operator(self.edge.target)
            what = f"{self.edge.partitioner.name} partitioner"
            raise user_failure(error, target, what, trace=error.__traceback__) from error

    def _dump(self, records: list[Any], keys: list[Any] | None) -> bytes:
        try:
            return self._serializer.dumps(records, keys)
        except NotPicklableError as error:
            raise pickling_failure(error, self._task.program.graph, self.edge) from error


class Task:
    """Runs the operators of one level for one subtask and one epoch.

    Args:
        program: The job.
        level: Index of the level.
        subtask: Index of the subtask; the slot that Spark's exchange brings blocks to.
        epoch: Number of the micro-batch.
        store: The entries of keyed state, if the level is keyed.
        attempt: Number of the attempt at this task, from 0.
        unique: A number that no other attempt of the run has; default: the epoch's.

    As a context manager it cleans up what its sinks wrote when it fails.
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
        self._store = store
        self._origin = level << 32 | subtask
        self._sequence = 0
        self._out: list[Block] = []
        self._out_bytes = 0
        self._ports: dict[int, Port] = {}
        self._hosts: dict[int, ReduceHost] = {}
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
            self._run(self.program.chain(source, True), records)
            if self._out_bytes > 4 * BLOCK_BYTES:
                yield self.take()
        known = self.metrics.records_in
        known[source.id] = known.get(source.id, 0) + count

    def receive(self, blocks: Iterable[Block]) -> Iterator[list[Block]]:
        """Take the blocks of an exchange, in any order; each sender's are run in the order it sent them."""
        for block in sorted(blocks, key=lambda b: (b.origin, b.sequence)):
            if block.channel == CONTROL:
                self.final = True
            elif block.channel == REPORT:
                self._out.append(block)
            else:
                target = self.program.graph.operator(self.program.edges[block.channel].target)
                if self.program.level_of[target.id] != self.level:
                    self._out.append(block)
                    self._out_bytes += len(block.data)
                else:
                    self._deliver(target, block)
            if self._out_bytes > 4 * BLOCK_BYTES:
                yield self.take()

    def finish(self) -> list[Block]:
        """End the epoch: final results, state written back, buffers sent, metrics told."""
        for op in self.program.levels[self.level].operators:
            if op.kind.keyed and (op.id in self._hosts or self.final):
                groups = groups_of(self.subtask, self.program.graph.subtasks(op), self._max_parallelism(op))
                for records in self._host(op).finish(self.final, groups):
                    self._run(self.program.chain(op, True), records)
        for port in self._ports.values():
            port.flush()
        commit = TaskCommit(self.metrics, self._writers.finish(), self.final)
        if self.final:
            self.program.close(self.level)
            if self.level < len(self.program.levels) - 1:
                for slot in range(self.program.width):
                    self.emit(slot, CONTROL, 0, FINAL)
        self.emit(self.subtask, REPORT, 0, dumps(commit))
        return self.take()

    # -- output ------------------------------------------------------------------------------------

    def emit(self, slot: int, channel: int, count: int, data: bytes) -> None:
        self._out.append(Block(slot, channel, self._origin, self._sequence, count, data))
        self._sequence += 1
        self._out_bytes += len(data)

    def take(self) -> list[Block]:
        out, self._out, self._out_bytes = self._out, [], 0
        return out

    def _deliver(self, target: Operator, block: Block) -> None:
        edge = self.program.edges[block.channel]
        try:
            records, keys = self.program.serializer(edge).loads(block.data)
        except FormatError as error:
            source = self.program.graph.operator(edge.source)
            raise user_failure(error, source, trace=error.__traceback__) from error
        if target.kind is Kind.SINK:
            self._write(target, records)
        elif keys is not None:
            self._keyed(target, keys, records)
        else:
            self._run(self.program.chain(target, False), records)

    # -- the inside --------------------------------------------------------------------------------

    def _run(self, chain: Chain, records: list[Any]) -> None:
        try:
            results = chain.run(records)
        except (Exception, SystemExit) as error:
            raise self._blame(chain, error) from error
        graph = self.program.graph
        for edge, (some, keys) in zip(chain.ports, results, strict=True):
            if not some:
                continue
            target = graph.operator(edge.target)
            if not edge.partitioner.exchanges and self.program.level_of[target.id] == self.level:
                if target.kind is Kind.SINK:
                    self._write(target, some)
                else:
                    self._run(self.program.chain(target, False), some)
                continue
            port = self._ports.get(edge.id)
            if port is None:
                port = self._ports[edge.id] = Port(self, edge)
            port.push(some, keys)

    def _write(self, sink: Operator, records: list[Any]) -> None:
        counts = self.metrics.records_out
        counts[sink.id] = counts.get(sink.id, 0) + len(records)
        if not sink.function.discards:
            self._writers.write(sink, records)

    def _keyed(self, op: Operator, keys: list[Any], records: list[Any]) -> None:
        host = self._host(op)
        try:
            out = host.process(keys, records)
        except (Exception, SystemExit) as error:
            raise user_failure(error, op, None, host.record, error.__traceback__) from error
        if out:
            self._run(self.program.chain(op, True), out)

    def _host(self, op: Operator) -> ReduceHost:
        host = self._hosts.get(op.id)
        if host is None:
            assert self._store is not None
            state = PagedState(self._store, op.state_uid, self._max_parallelism(op))
            host = self._hosts[op.id] = ReduceHost(op.function, state, self.program.graph.batch)
        return host

    def _max_parallelism(self, op: Operator) -> int:
        return op.max_parallelism or self.program.graph.max_parallelism

    # -- errors ------------------------------------------------------------------------------------

    def _blame(self, chain: Chain, error: BaseException) -> BaseException:
        found = chain.blame(error.__traceback__)
        if found is None:  # not in the generated code: ours, not the user's
            raise error
        step, record, trace = found
        function = None if step.what == "function" else step.what
        return user_failure(error, step.operator, function, record, trace)
