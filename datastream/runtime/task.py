"""One subtask of one stage in one epoch: the same code under Spark and in the local executor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

from datastream.errors import FormatError
from datastream.graph import Edge
from datastream.graph.operators import Source
from datastream.logs import place
from datastream.logs.handler import report_left_out
from datastream.metrics import CounterValue, MetricName, MetricValues, merge
from datastream.types import checks
from datastream.types.pickles import dumps, loads

from .blocks import CONTROL, REPORT, Block, Outbox, restored_operator
from .epoch_plan import TaskPlan
from .forgetting_store import ForgettingStore
from .health.observation import observe
from .log_place import place_of
from .pages import Store
from .program import Program
from .savepoints.placing import Restoring
from .savepoints.reading import restored
from .sinking import SinkWriters, TaskCommit
from .source_readers import Slices, SourceReaders
from .stage import Stage
from .timed_blocks import unwrap
from .user_errors import user_failure

#: What control blocks hold mostly: nothing but that the epoch is there.
GOES_ON = dumps({"final": False})

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

    As a context manager it closes its readers and writers when it fails, and cleans up what its sinks wrote.

    Attributes:
        final: All sources have ended.
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
        self.plan = program.plan
        self.level = level
        self.subtask = subtask
        self.final = False
        self._before = place.enter(place_of(program, subtask, epoch))
        self._check_before = checks.enter(program.spec.types_check)
        try:
            self._make(epoch, store, attempt, epoch if unique is None else unique)
        except BaseException:  # a task that was not made is never left
            self._leave()
            raise

    def _make(self, epoch: int, store: Store | None, attempt: int, unique: int) -> None:
        program, level, subtask = self.program, self.level, self.subtask
        self._readers = SourceReaders(program, subtask, epoch, unique)
        self._writers = SinkWriters(program, subtask, epoch, unique)
        self._outbox = Outbox(level << 32 | subtask)
        self._control = GOES_ON
        self._kept = ForgettingStore(store) if store is not None and program.spec.lasting else None
        store = self._kept or store
        self._stage = Stage(program, level, subtask, epoch, store, self._writers, self._outbox)
        self._time = self._stage.time
        self._slices_of: dict[int, Slices] = {}
        self._restoring = Restoring(program, level, subtask, store)
        self._restores = program.spec.restores(epoch)
        for op, open_it in program.open(level, subtask, attempt):
            try:
                open_it()
            except BaseException as error:
                name = f"{type(op.rich_function).__qualname__}.open"
                raise user_failure(error, op, name, trace=error.__traceback__) from error

    def __enter__(self) -> Task:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        try:
            if error is not None:
                self._readers.abort()
                self._writers.abort()
            report_left_out()
        finally:
            self._leave()

    def _leave(self) -> None:
        """The thread works for no task, or for the one before."""
        place.enter(self._before)
        checks.enter(self._check_before)

    # -- input -------------------------------------------------------------------------------------

    def read(self, plan: TaskPlan) -> Iterator[list[Block]]:
        """Read what the task's plan says; returns blocks whenever some megabytes are ready."""
        self._time.task_plan = plan
        resting = plan.resting and plan.resting | plan.ended
        self._begin({"final": plan.final, "kept": plan.kept, "again": plan.again, "resting": resting})
        for channel, slot, count, data in restored(self.program, plan.restored):
            self._outbox.emit(slot, channel, count, data)
            if self._outbox.full:
                yield self._outbox.take()
        last = {id: i for i, (id, _) in enumerate(plan.splits)}
        for i, (id, split) in enumerate(plan.splits):
            source = self.plan.operators[id]
            assert isinstance(source, Source)
            yield from self._read(source, split, more=i < last[id])
        self._time.end_lanes()

    def _read(self, source: Source, split: Any, more: bool) -> Iterator[list[Block]]:
        count = 0
        produced = source.source.produced
        self._time.begin_split(source, more, split.lane if produced.lanes else None)
        chain = self._stage.chain(source, True)
        timed = chain.timed and produced.timestamps
        meter = self._stage.meter
        with closing(self._readers.read(source, split, timed)) as batches:
            for records, times in batches if meter is None else meter.timed(source.id, batches):
                count += len(records)
                for some, their_times in self._slices(source, records, times if timed else None):
                    self._stage.run(chain, some, their_times)
                    if self._outbox.full:
                        yield self._outbox.take()
        known = self._stage.metrics.records_in
        known[source.id] = known.get(source.id, 0) + count

    def _slices(
        self, source: Source, records: list[Any], times: list[int | None] | None
    ) -> Iterator[tuple[list[Any], list[int | None] | None]]:
        """Records in slices, so that no more bytes are on their way than memory holds with ease.

        In a job with watermarks they stay together: a watermark follows each block of a source.
        """
        if self.plan.timing.watermarked:
            yield records, times
            return
        slices = self._slices_of.setdefault(source.id, Slices())
        start = 0
        while start < len(records):
            before, size = self._outbox.sent, slices.size
            if start == 0 and len(records) <= size:
                yield records, times
            else:
                part = slice(start, start + size)
                yield records[part], times and times[part]
            slices.sent(min(size, len(records) - start), self._outbox.sent - before)
            start += size

    def receive(self, blocks: Iterable[Block]) -> Iterator[list[Block]]:
        """Take the blocks of an exchange, in any order; each sender's are run in the order it sent them.

        What comes from a savepoint is stored before anything runs.
        """
        others = []
        for block in blocks:
            if restored_operator(block.channel) < 0:
                others.append(block)
            elif self._restoring.concerns(block):
                self._restoring.take(block)
            else:
                self._outbox.pass_on(block)
                if self._outbox.full:
                    yield self._outbox.take()
        self._restoring.finish()
        for data in {bytes(block.data) for block in others if block.channel == CONTROL} - {GOES_ON}:
            self._begin(loads(data))
        ordered = sorted(others, key=self._order)
        self._preview_reports(ordered)
        if not self._restores:
            self._time.tick()
        for block in ordered:
            if block.channel == CONTROL:
                continue
            if block.channel == REPORT or not self._is_for_me(block):
                self._outbox.pass_on(block)
            else:
                self._deliver(block)
            if self._outbox.full:
                yield self._outbox.take()

    def finish(self) -> list[Block]:
        """End the epoch: final results, state written back, buffers sent, metrics reported."""
        stage, time = self._stage, self._time
        time.end_sources()
        if not self._restores:
            time.tick()
        time.report_inside(self.final)
        time.rest()
        if self.final:
            time.end()
        stage.finish_all()
        next_timers = stage.flush()
        time.report(self.final)
        for port in stage.ports.values():
            port.flush()
        next_timers.append(time.save())
        committables = self._writers.prepare_commit()
        commit = TaskCommit(
            metrics=stage.metrics,
            committables=committables,
            final=self.final,
            place=(self.level, self.subtask),
            next_timer=min((t for t in next_timers if t is not None), default=None),
            watermark=stage.watermark(),
            user_metrics=merge(
                (
                    self.program.take_metrics(self.level),
                    self._readers.take_metrics(),
                    self._writers.take_metrics(),
                    self._late_dropped(),
                    self._fed_back(),
                )
            ),
        )
        commit.reports = time.committed_reports(self.final)
        commit.measures, commit.prepare_ns = stage.measures(), self._writers.prepare_ns
        if self.program.spec.warnings is not None:
            commit.observed = observe(self.subtask, stage.hosts, stage.intakes, time)
        if self.final:
            self.program.close(self.level)
        if (self.final or self.plan.timing.awake) and self.level < len(self.plan.levels) - 1:
            for slot in range(self.plan.width):
                self._outbox.emit(slot, CONTROL, 0, self._control)
        self._outbox.emit(self.subtask, REPORT, 0, dumps(commit))
        self._readers.release(self.final)
        self._writers.release(self.final)
        return self._outbox.take()

    def _begin(self, control: dict[str, Any]) -> None:
        """Learn what kind of epoch it is: what `TaskPlan` has under the same names."""
        if any(control.values()):
            self._control = dumps({name: value for name, value in control.items() if value})
        self.final = control.get("final", False)
        self._time.resting = control.get("resting", frozenset())
        if control.get("kept") and self._kept is not None:
            self._kept.forget()
        if control.get("again"):
            self._time.begin_again()

    def _late_dropped(self) -> MetricValues:
        """Late records that operators dropped, by Flink's name of that metric."""
        return {
            MetricName(host.op.state_uid, (), "numLateRecordsDropped"): CounterValue(dropped)
            for host in self._stage.hosts.values()
            if (dropped := getattr(host, "late_dropped", 0))
        }

    def _fed_back(self) -> MetricValues:
        """Records that loops inside the subtask have fed back, and those that their limits kept from it."""
        found: MetricValues = {}
        for loop in self._stage.loops.values():
            found[MetricName(loop.op.state_uid, (), "numRecordsFedBack")] = CounterValue(loop.fed_back)
            if loop.dropped:
                found[MetricName(loop.op.state_uid, (), "numRecordsDropped")] = CounterValue(loop.dropped)
        return found

    # -- blocks of other tasks ---------------------------------------------------------------------

    def _order(self, block: Block) -> tuple[bool, int, int]:
        """Broadcast state is made before the records that use it."""
        edge = self.plan.edges.get(block.channel)
        return edge is None or edge.id not in self.plan.broadcast_state, block.origin, block.sequence

    def _is_for_me(self, block: Block) -> bool:
        target = self.plan.edges[block.channel].target
        return self.plan.level_of[target] == self.level

    def _preview_reports(self, blocks: list[Block]) -> None:
        watermarked = self.plan.timing.watermarked
        if not watermarked:
            return
        mine = [block for block in blocks if block.channel in watermarked and self._is_for_me(block)]
        senders = {(block.channel, block.origin) for block in mine if block.size}
        self._time.preview_reports(
            [
                (
                    self.plan.edges[block.channel],
                    block.origin & _LOW,
                    reports,
                    (block.channel, block.origin) in senders,
                )
                for block in mine
                if block.size == 0 and (reports := unwrap(block.data)[0].reports)
            ]
        )

    def _deliver(self, block: Block) -> None:
        edge = self.plan.edges[block.channel]
        timing = self.plan.timing
        if edge.id not in timing.timed and edge.id not in timing.watermarked:
            self._stage.input(edge, *self._load(edge, block.data), None)
            return
        frame, data = unwrap(block.data)
        sender = block.origin & _LOW
        if block.size:
            records, keys = self._load(edge, data)
            times = frame.times
            start = 0
            for watermark in frame.watermarks:
                if watermark.position > start:
                    here = slice(start, watermark.position)
                    self._stage.input(edge, records[here], keys and keys[here], times and times[here])
                    start = watermark.position
                self._time.receive(edge, sender, watermark)
            if start < len(records):
                self._stage.input(edge, records[start:], keys and keys[start:], times and times[start:])
        else:
            for watermark in frame.watermarks:
                self._time.receive(edge, sender, watermark)
        if frame.reports:
            self._time.receive_reports(edge, sender, frame.reports)

    def _load(self, edge: Edge, data: bytes | memoryview) -> tuple[list[Any], list[Any] | None]:
        try:
            return self.program.serializer(edge).loads(data)
        except BaseException as error:  # unpickling runs the code of the classes inside
            source = self.plan.operators[edge.source]
            what = None if isinstance(error, FormatError) else "unpickling of a result"
            raise user_failure(error, source, what, trace=error.__traceback__) from error
