"""The plan: operators and edges as frozen dataclasses. It imports nothing that runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from datastream.functions import OutputTag

from .partitioners import Forward, Partitioner


class Kind(StrEnum):
    """What an operator does. Everything else in the API lowers to these."""

    SOURCE = "source"
    MAP = "map"
    FLAT_MAP = "flat_map"
    FILTER = "filter"
    PROCESS = "process"
    REDUCE = "reduce"
    UNION = "union"
    SINK = "sink"
    TIMESTAMPS = "timestamps"
    KEYED_PROCESS = "keyed_process"
    WINDOW = "window"
    CO_PROCESS = "co_process"
    KEYED_CO_PROCESS = "keyed_co_process"
    BROADCAST_PROCESS = "broadcast_process"
    KEYED_BROADCAST_PROCESS = "keyed_broadcast_process"
    ASYNC = "async"

    @property
    def keyed(self) -> bool:
        """Whether the operator keeps state by key."""
        return self in _KEYED

    @property
    def stateful(self) -> bool:
        """Whether the operator keeps state, by key or not."""
        return self in _KEYED or self is Kind.BROADCAST_PROCESS

    @property
    def hosted(self) -> bool:
        """Whether a host runs the operator, and not a line of a fused chain."""
        return self in _HOSTED

    @property
    def tells_time(self) -> bool:
        """Whether the operator, or its function, may ask for timestamps and watermarks."""
        return self is Kind.PROCESS or (self in _HOSTED and self is not Kind.REDUCE)

    @property
    def splits(self) -> bool:
        """Whether a pair (OutputTag, value) among the results goes to a side output."""
        return self in _SPLITTING


_KEYED = frozenset({Kind.REDUCE, Kind.KEYED_PROCESS, Kind.WINDOW, Kind.KEYED_CO_PROCESS, Kind.KEYED_BROADCAST_PROCESS})
_HOSTED = _KEYED | {Kind.TIMESTAMPS, Kind.CO_PROCESS, Kind.BROADCAST_PROCESS, Kind.ASYNC}
_SPLITTING = _HOSTED - {Kind.REDUCE, Kind.TIMESTAMPS, Kind.ASYNC} | {Kind.PROCESS}


@dataclass(frozen=True)
class Origin:
    """Where in the user's program an operator was made."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Operator:
    """One step of the job.

    Attributes:
        id: Position in order of creation; also the operator's index in the plan.
        kind: What it does.
        name: What people read; also in errors.
        function: The callable that is run for a record (for a source or sink: that object).
        instance: The user's rich function, if it has ``open``/``close``; else None.
        uid: The user's stable name for its state and offsets; None means `state_uid` is derived.
        parallelism: Number of subtasks; None means the job's.
        max_parallelism: Number of key groups; None means the job's.
        output_type: Declared type of the records, or None.
        description: Longer text for people.
        chain: May be fused with the operator before it.
        chain_next: May be fused with the operator behind it.
        slot_sharing_group: Kept for people; Spark schedules whole stages.
        origin: Where the user made it.
        params: What a kind needs besides: plain data.
        fits: The records are known to fit the output type, so nothing tests them.
        hinted: Type that the function's annotations speak of, for people; nothing relies on it.
    """

    id: int
    kind: Kind
    name: str
    function: Any
    instance: Any = None
    uid: str | None = None
    parallelism: int | None = None
    max_parallelism: int | None = None
    output_type: Any = None
    description: str | None = None
    chain: bool = True
    chain_next: bool = True
    slot_sharing_group: str | None = None
    origin: Origin | None = None
    params: dict[str, Any] = field(default_factory=dict)
    fits: bool = False
    hinted: Any = None

    @property
    def state_uid(self) -> str:
        """The name under which offsets and state are kept."""
        return self.uid if self.uid is not None else f"{self.kind.value}-{self.id}"


@dataclass(frozen=True)
class Edge:
    """Records flow from one operator to another.

    Attributes:
        id: Index of the edge; blocks on the wire carry it as their channel.
        source: Operator id.
        target: Operator id.
        partitioner: How records are placed.
        tag: The side output that it carries, or None for the main output.
    """

    id: int
    source: int
    target: int
    partitioner: Partitioner = Forward()
    tag: OutputTag | None = None


@dataclass(frozen=True)
class JobGraph:
    """A whole job, validated and ready to run.

    Attributes:
        name: The job's name.
        operators: In order of creation; an edge always points to a later operator.
        edges: All edges.
        parallelism: Default number of subtasks, and so of Spark tasks a stage.
        max_parallelism: Default number of key groups.
        batch: Batch mode: running aggregates emit only their final value.
    """

    name: str
    operators: tuple[Operator, ...]
    edges: tuple[Edge, ...]
    parallelism: int = 1
    max_parallelism: int = 128
    batch: bool = False

    def operator(self, id: int) -> Operator:
        return self._by_id[id]

    @property
    def _by_id(self) -> dict[int, Operator]:
        cached = self.__dict__.get("_index")
        if cached is None:
            cached = {op.id: op for op in self.operators}
            object.__setattr__(self, "_index", cached)
        return cached

    def inputs(self, id: int) -> list[Edge]:
        return [e for e in self.edges if e.target == id]

    def outputs(self, id: int) -> list[Edge]:
        return [e for e in self.edges if e.source == id]

    def of_kind(self, kind: Kind) -> list[Operator]:
        return [op for op in self.operators if op.kind is kind]

    def subtasks(self, op: Operator) -> int:
        """Number of subtasks of an operator."""
        return op.parallelism or self.parallelism

    @property
    def width(self) -> int:
        """Spark tasks of each stage: enough for the widest operator."""
        return max([self.parallelism, *(op.parallelism or 0 for op in self.operators)])
