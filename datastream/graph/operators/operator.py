"""What all operators have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from datastream.graph.state_forms import StateForm
from datastream.types import TypeInformation


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

    What a kind of operator is, its class says:

    - `kind`: its name, for people, and in default uids and checkpoints, so it must never change.
    - `keyed`: it keeps state by key.
    - `keeps_broadcast_state`: it keeps state that each subtask makes of all records of its second input.
    - `hosted`: a host runs it (`datastream.runtime.hosts`), and not a line of a fused chain.
    - `reads_time`: it, or its function, may read timestamps and watermarks.
    - `reads_watermarks`: it waits for watermarks, though it may read no timestamps.
    - `assigns_time`: its results have timestamps whatever comes in: a window's end, a timer's time.
    - `splits`: a pair (OutputTag, value) among its results goes to a side output.
    - `serialized`: its results reach the function after it as a serializer gives them, as Flink does not chain it.

    Attributes:
        id: Position in order of creation; also the operator's index in the graph.
        name: What people read; also in errors.
        uid: The user's stable name for its state and offsets; None means `state_uid` is derived.
        parallelism: Number of subtasks; None means the job's.
        max_parallelism: Number of key groups; None means the job's.
        non_parallel: It sees all records, so it must have one subtask.
        output_type: Declared type of the records, or None.
        fits: The records are known to fit the output type, so nothing tests them.
        tested_first: The records are tested before any function gets them, as after operators that are Flink's own.
        hinted: Type that the function's annotations speak of, for people; nothing relies on it.
        description: Longer text for people.
        chain: May be fused with the operator before it.
        chain_next: May be fused with the operator after it.
        slot_sharing_group: Kept for people; Spark schedules whole stages.
        origin: Where the user made it.
        written: The tables that INSERTs write by its records; none outside of the Table API.
    """

    kind: ClassVar[str]
    keyed: ClassVar[bool] = False
    keeps_broadcast_state: ClassVar[bool] = False
    hosted: ClassVar[bool] = False
    reads_time: ClassVar[bool] = False
    reads_watermarks: ClassVar[bool] = False
    assigns_time: ClassVar[bool] = False
    splits: ClassVar[bool] = False
    serialized: ClassVar[bool] = False

    id: int
    name: str
    _: KW_ONLY
    uid: str | None = None
    parallelism: int | None = None
    max_parallelism: int | None = None
    non_parallel: bool = False
    output_type: TypeInformation | None = None
    fits: bool = False
    tested_first: bool = False
    hinted: TypeInformation | None = None
    description: str | None = None
    chain: bool = True
    chain_next: bool = True
    slot_sharing_group: str | None = None
    origin: Origin | None = None
    written: tuple[str, ...] = ()

    @property
    def state_uid(self) -> str:
        """The name under which offsets and state are kept."""
        return self.uid if self.uid is not None else f"{self.kind}-{self.id}"

    @property
    def stateful(self) -> bool:
        """Whether the operator keeps state, by key or not."""
        return self.keyed or self.keeps_broadcast_state

    @property
    def reads_clock(self) -> bool:
        """Whether it waits for the machine's clock, though its results may have no timestamps."""
        return False

    @property
    def watermark_delay_ms(self) -> int:
        """How far its results may be behind the watermark: those after it get the watermark less that."""
        return 0

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        """What it keeps in checkpoints; every operator with state says it."""
        return ()

    @property
    def user_code(self) -> Any:
        """What the user gave it to run, or to read or write with; None if nothing."""
        return None

    @property
    def rich_function(self) -> Any:
        """The user's object whose ``open`` and ``close`` frame the calls; None if there is none."""
        return None

    def shown(self, record: Any) -> Any:
        """What errors show of a record that it was given. Default: the record."""
        return record


@dataclass(frozen=True)
class FunctionOperator(Operator):
    """An operator that calls the user's function.

    Attributes:
        function: What is called for a record.
        instance: The user's rich function, if it has ``open``/``close``; else None.
    """

    function: Callable[..., Any]
    _: KW_ONLY
    instance: Any = None

    @property
    def user_code(self) -> Any:
        return self.function

    @property
    def rich_function(self) -> Any:
        return self.instance
