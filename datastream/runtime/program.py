"""A job graph made ready to run: pickled for its journey, then levels, chains and opened functions."""

from __future__ import annotations

import gc
import hashlib
import inspect
import logging
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from datastream import compat
from datastream.config.job_warnings import WarningSettings
from datastream.config.log_settings import LogSettings
from datastream.environments import enter
from datastream.errors import NotSerializableError, ProcessLost, UnsupportedOperation, WorkerFailure
from datastream.functions import RuntimeContext
from datastream.graph import Custom, Edge, Hash, JobGraph, Operator, Plan
from datastream.graph.operators import Sink, Source
from datastream.logs import worker
from datastream.metrics import MetricGroup, MetricRegistry, MetricValues, merge
from datastream.state import (
    AggregatingState,
    AggregatingStateDescriptor,
    ListState,
    ListStateDescriptor,
    MapState,
    MapStateDescriptor,
    ReducingState,
    ReducingStateDescriptor,
    ValueState,
    ValueStateDescriptor,
)
from datastream.types.pickles import adopt_main_classes, dumps_by_value, main_classes, use_serializers

from .block_serializer import BlockSerializer, block_serializer
from .chain_code import Chain, compile_chain
from .connector_cache import CACHE
from .hosts import Host, Setting, make_host
from .hosts.host import system_clock
from .key_groups import KeyPlacement
from .keyed_state import KeyedStates
from .process_context import ChainContext
from .restore import Restore
from .user_errors import user_failure

_LOGGER = logging.getLogger("datastream")

#: Of the garbage collector in processes that are there to run tasks. Records live for a block: with Python's own 700
#: each of them is looked at many times before it goes, a third of the time of reading rows.
GC_THRESHOLDS = (50_000, 20, 50)


@dataclass(frozen=True)
class JobSpec:
    """What travels to every process of a job.

    Attributes:
        graph: The job.
        job_id: Stays the same over restarts from one checkpoint directory.
        run_id: Differs from run to run.
        parameters: The job's global parameters.
        epoch_records: Records an epoch should hold at most; see `Source.latest_offset`.
        epoch_records_in_time: The same, if so many go by in `epoch_ms`; None: as `epoch_records`.
        epoch_ms: Length in ms that epochs of bounded or piled-up input are steered to.
        record_bytes: How large a record may be that crosses an exchange, pickled.
        report: Where the committer reports epochs to, or None.
        types_check: What to do with values that do not fit their declared type: ``strict``, ``coerce`` or ``off``.
        serializers: (class, how its objects are pickled) that the user registered.
        spool_dir: Where sources and sinks leave durable notes; None: nowhere, see `Spool`.
        warnings: When the running job is warned about; None: never.
        log: What the log takes from functions.
        interval_ms: The next epoch starts at least so long after the start of the one before.
        min_pause_ms: The next epoch starts at least so long after the end of the one before.
        attempt: How often the job was started again in its driver.
        first_epoch: Number of the first epoch: 0, or that of the savepoint that the job was restored from.
        restore: What is to be taken over from a savepoint; None: nothing, or it has been done.
        measured: Tasks measure their operators.
        lasting: The job has a checkpoint directory that outlives it: a later start continues there.
        clock: Returns the time of timers, windows and state that expires, in ms; that of the machine, but in tests.
    """

    graph: JobGraph
    job_id: str
    run_id: str
    parameters: dict[str, str]
    epoch_records: int = 1_000_000
    epoch_records_in_time: int | None = None
    epoch_ms: int = 1000
    record_bytes: int = 128 << 20
    report: tuple[Any, bytes] | None = None
    types_check: str = "flink"
    serializers: tuple[tuple[type, Any], ...] = ()
    spool_dir: str | None = None
    warnings: WarningSettings | None = None
    log: LogSettings = LogSettings()
    interval_ms: int = 0
    min_pause_ms: int = 0
    attempt: int = 0
    first_epoch: int = 0
    restore: Restore | None = None
    measured: bool = False
    lasting: bool = False
    clock: Callable[[], int] = system_clock

    @property
    def running(self) -> bool:
        """Whether the driver, on this machine, still listens: several jobs may share its processes."""
        return self.report is not None and os.path.exists(self.report[0])

    def restores(self, epoch: int) -> bool:
        """Whether an epoch takes over the state of a savepoint, and does nothing else."""
        return self.restore is not None and epoch == self.first_epoch


class TaskContext(RuntimeContext):
    """The runtime context that a function keeps from ``open`` on; it always describes the current task.

    Attributes:
        states: Where keyed state comes from; None for functions without.
    """

    def __init__(self, op: Operator, spec: JobSpec, plan: Plan) -> None:
        self._op, self._spec, self._plan = op, spec, plan
        self.states: KeyedStates | None = None
        self.subtask = 0
        self.attempt = 0
        self.metrics: MetricRegistry | None = None

    def get_task_name(self) -> str:
        return self._op.name

    def get_number_of_parallel_subtasks(self) -> int:
        return self._plan.subtasks[self._op.id]

    def get_max_number_of_parallel_subtasks(self) -> int:
        return self._plan.key_groups[self._op.id]

    def get_index_of_this_subtask(self) -> int:
        return self.subtask % self.get_number_of_parallel_subtasks()  # sources may use more tasks than they have

    def get_attempt_number(self) -> int:
        return self._spec.attempt + self.attempt

    def get_task_name_with_subtasks(self) -> str:
        return f"{self._op.name} ({self.get_index_of_this_subtask() + 1}/{self.get_number_of_parallel_subtasks()})"

    def get_job_parameter(self, key: str, default_value: str) -> str:
        return self._spec.parameters.get(key, default_value)

    def _keyed(self) -> KeyedStates:
        if self.states is None:
            raise UnsupportedOperation(
                f"'{self._op.name}' has no keyed state: it needs a keyed stream (call key_by first) and a process or "
                "window function"
            )
        return self.states

    def get_state(self, state_descriptor: ValueStateDescriptor) -> ValueState[Any]:
        return self._keyed().get_state(state_descriptor)

    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState[Any]:
        return self._keyed().get_list_state(state_descriptor)

    def get_map_state(self, state_descriptor: MapStateDescriptor) -> MapState[Any, Any]:
        return self._keyed().get_map_state(state_descriptor)

    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> ReducingState[Any]:
        return self._keyed().get_reducing_state(state_descriptor)

    def get_aggregating_state(self, state_descriptor: AggregatingStateDescriptor) -> AggregatingState[Any, Any]:
        return self._keyed().get_aggregating_state(state_descriptor)

    def get_metrics_group(self) -> MetricGroup:
        if self.metrics is None:
            place = self.get_index_of_this_subtask()
            self.metrics = MetricRegistry(self._spec.graph.name, self._op.name, self._op.state_uid, place)
        return self.metrics.group


class Program:
    """A job in a process. Lives as long as the process, so functions are opened once in each, for each subtask.

    Attributes:
        told: (Operator id, subtask) whose keyed state this process has told the size of.
    """

    def __init__(self, spec: JobSpec) -> None:
        self.spec = spec
        self.plan = Plan.of(spec.graph)
        self.told: set[tuple[int, int]] = set()
        self._hosts: dict[int, Host] = {}
        self._chains: dict[tuple[int, bool], Chain] = {}
        self._placements: dict[tuple[int, int], KeyPlacement] = {}
        self._serializers: dict[int, BlockSerializer] = {}
        self._contexts: dict[int, TaskContext] = {}
        self._rich: dict[int, bytes] | None = None
        self._of_subtasks: dict[int, Program] = {}

    def of_subtask(self, subtask: int) -> Program:
        """The program with rich functions of a subtask's own: what their ``open`` keeps is true for it alone."""
        if self._rich is None:
            rich = (op for op in self.plan.operators.values() if op.rich_function is not None)
            self._rich = {op.id: dumps_by_value(op) for op in rich}
        if not self._rich:
            return self
        if subtask not in self._of_subtasks:
            own = {id: pickle.loads(data) for id, data in self._rich.items()}
            graph = self.spec.graph
            graph = replace(graph, operators=tuple(own.get(op.id, op) for op in graph.operators))
            self._of_subtasks[subtask] = Program(replace(self.spec, graph=graph))
        return self._of_subtasks[subtask]

    def chain(self, op: Operator, outputs_only: bool) -> Chain:
        """The chain that starts with an operator, or right after it."""
        key = (op.id, outputs_only)
        if key not in self._chains:
            timing = self.plan.timing
            timed = op.id in (timing.timed_behind if outputs_only else timing.timed_from)
            self._chains[key] = compile_chain(
                self.plan,
                op,
                outputs_only=outputs_only,
                context=ChainContext(self.spec.clock),
                check=self.spec.types_check,
                timed=timing.timed if timed else (),
                measured=self.spec.measured,
            )
        return self._chains[key]

    def host(self, op: Operator) -> Host:
        """What runs an operator of a hosted kind; lives as long as its functions."""
        if op.id not in self._hosts:
            setting = Setting(
                max_parallelism=self.plan.key_groups[op.id],
                timed=op.id in self.plan.timing.timed_behind,
                batch=self.plan.graph.batch,
                clock=self.spec.clock,
                check=self.spec.types_check,
            )
            self._hosts[op.id] = make_host(op, setting)
        return self._hosts[op.id]

    def placement(self, edge: Edge) -> KeyPlacement:
        sizes = (self.plan.subtasks[edge.target], self.plan.key_groups[edge.target])
        if sizes not in self._placements:
            self._placements[sizes] = KeyPlacement(*sizes)
        return self._placements[sizes]

    def serializer(self, edge: Edge) -> BlockSerializer:
        """What writes and reads the blocks of an edge."""
        if edge.id not in self._serializers:
            self._serializers[edge.id] = block_serializer(self.plan, edge, self.spec.types_check)
        return self._serializers[edge.id]

    def open(self, level: int, subtask: int, attempt: int) -> Iterator[tuple[Operator, Callable[[], None]]]:
        """Point the contexts of a level's functions at this task.

        Gives each function that this process has not opened yet, with what opens it.
        """
        for op in self.plan.levels[level].operators:
            rich = op.rich_function
            if rich is None:
                continue
            context = self._contexts.get(op.id)
            if context is None:
                context = TaskContext(op, self.spec, self.plan)
                context.subtask, context.attempt = subtask, attempt
                if op.hosted:
                    context.states = self.host(op).states
                if hasattr(rich, "open"):
                    yield op, partial(rich.open, context)
                self._contexts[op.id] = context
            elif context.metrics is not None:
                context.metrics.rewind()
            context.subtask, context.attempt = subtask, attempt

    def take_metrics(self, level: int) -> MetricValues:
        """What the functions of a level have counted in this epoch."""
        contexts = [self._contexts.get(op.id) for op in self.plan.levels[level].operators]
        return merge(c.metrics.take() for c in contexts if c is not None and c.metrics is not None)

    def close(self, level: int) -> None:
        """Close the functions of a level that were opened here, all of them: the job has ended.

        Raises:
            WorkerFailure: one of them failed.
        """
        failure: BaseException | None = None
        for op in self.plan.levels[level].operators:
            rich = op.rich_function
            if self._contexts.pop(op.id, None) is not None and hasattr(rich, "close"):
                try:
                    rich.close()
                except ProcessLost:
                    raise
                except BaseException as error:
                    name = f"{type(rich).__qualname__}.close"
                    failure = failure or user_failure(error, op, name, trace=error.__traceback__)
        if failure is not None:
            raise failure

    def close_all(self) -> None:
        """Close all functions that are still open here: the job has failed, or was cancelled. Failures are logged."""
        for program in (self, *self._of_subtasks.values()):
            for level in range(len(program.plan.levels)):
                try:
                    program.close(level)
                except WorkerFailure:
                    _LOGGER.warning("close failed", exc_info=True)


_programs: dict[bytes, Program] = {}


def pack(spec: JobSpec, path: tuple[str, ...] = (), here: bool = False) -> bytes:
    """Pickle a job for its journey.

    Args:
        spec: The job.
        path: Folders that modules are found in, for processes on the same machine.
        here: It is unpacked in this very process.

    Raises:
        NotSerializableError: names the operator and, where it can be found, the variable to blame.
    """
    try:
        use_serializers(spec.serializers)
        data = dumps_by_value(spec, here)
    except Exception as error:
        raise _unpicklable(spec.graph, error) from error
    return pickle.dumps((compat.installed(), path, main_classes(), data), 5)


def unpack(data: bytes, in_worker: bool = True) -> Program:
    """The program of a pickled job; made once in each process.

    Args:
        data: What `pack` gave.
        in_worker: The user's main module is not this process's own.
    """
    key = hashlib.blake2b(data, digest_size=16).digest()
    program = _programs.get(key)
    if program is None:
        with_compat, path, main_names, content = pickle.loads(data)
        # The driver's order: a job's packages come first.
        sys.path[:] = [*path, *(p for p in sys.path if p not in path)]
        if with_compat:
            compat.install()
        if in_worker:
            enter.work()
            worker.begin()  # before the user's modules, which may configure logging, are imported
        spec = pickle.loads(content)
        use_serializers(spec.serializers)
        if in_worker:
            worker.begin(spec.log)
            adopt_main_classes(main_names)
            gc.set_threshold(*GC_THRESHOLDS)
            gc.freeze()
        for other in [other for other, known in _programs.items() if not known.spec.running]:
            CACHE.close(_programs.pop(other).spec.run_id)
        _programs[key] = program = Program(spec)
    return program


def _unpicklable(graph: JobGraph, error: Exception) -> NotSerializableError:
    """Say which operator's function cannot travel, and because of which variable."""
    for op in graph.operators:
        parts = [("settings" if isinstance(op, (Source, Sink)) else "function", op.user_code)]
        for edge in (e for e in graph.edges if e.target == op.id):
            if isinstance(edge.partitioner, (Hash, Custom)):
                parts.append(("key selector", edge.partitioner.key))
            if isinstance(edge.partitioner, Custom):
                parts.append(("partitioner", edge.partitioner.partition))
        for what, value in parts:
            if _picklable(value):
                continue
            culprit = _culprit(value)
            because = f" because it refers to {culprit}" if culprit else f": {error}"
            instead = "in the function's open() method, which runs in the worker"
            if isinstance(op, Source):
                instead = "in create_enumerator or create_reader, which run where they are needed"
            elif isinstance(op, Sink):
                instead = "in create_writer or create_committer, which run where they are needed"
            return NotSerializableError(
                f"the {what} of operator '{op.name}' (made at {op.origin}) cannot be sent to the workers"
                f"{because}\n  make such objects (connections, locks, open files) {instead}"
            )
    return NotSerializableError(f"the job cannot be sent to the workers: {error}")


def _picklable(value: Any) -> bool:
    try:
        dumps_by_value(value)
    except Exception:  # whatever an object's own pickling raises
        return False
    return True


def _culprit(value: Any, depth: int = 0) -> str | None:
    """The innermost variable or attribute that refuses to be pickled, as people would name it."""
    names: dict[str, Any] = {}
    function = inspect.unwrap(value) if callable(value) else value
    function = getattr(function, "__func__", function)
    if inspect.isfunction(function):
        found = inspect.getclosurevars(function)
        names.update({f"variable '{k}'": v for k, v in {**found.globals, **found.nonlocals}.items()})
    owner = getattr(value, "__self__", None if inspect.isfunction(value) else value)
    names.update({f"attribute '{k}'": v for k, v in getattr(owner, "__dict__", {}).items()})
    for name, part in names.items():
        if not _picklable(part):
            deeper = _culprit(part, depth + 1) if depth < 3 else None
            # Not its repr, which may hold passwords.
            return f"{name} ({type(part).__name__})" + (f", by its {deeper}" if deeper else "")
    return None
