"""The job as the API builds it: operators and the edges between them. It imports nothing that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from datastream.functions import OutputTag

from .operators import Operator
from .partitioners import Forward, Partitioner

O = TypeVar("O", bound=Operator)  # noqa: E741


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
    """A whole job, validated and ready to run; `Plan` has all that follows from it.

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

    def of_kind(self, kind: type[O]) -> list[O]:
        """The operators of a kind, or of kinds that have this one as their base."""
        return [op for op in self.operators if isinstance(op, kind)]

    def subtasks(self, op: Operator) -> int:
        """Number of subtasks of an operator."""
        return op.parallelism or self.parallelism

    @property
    def width(self) -> int:
        """Spark tasks of each stage: enough for the widest operator."""
        return max([self.parallelism, *(op.parallelism or 0 for op in self.operators)])
