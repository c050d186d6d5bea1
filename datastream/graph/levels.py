"""Levels: how many exchanges lie between an operator and the sources."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .job_graph import Edge
from .operators import Operator


@dataclass(frozen=True)
class Level:
    """One stage of the plan: the operators whose longest path from a source crosses `index` exchanges.

    Attributes:
        index: 0 is the sources and everything fused to them.
        operators: In order of creation, which is a topological order.
        keyed: Whether any of them keeps state by key.
        stateful: Whether the stage keeps state of whatever kind, or remembers watermarks.
    """

    index: int
    operators: tuple[Operator, ...]
    keyed: bool
    stateful: bool


def level_of(operators: Sequence[Operator], inputs: Mapping[int, Sequence[Edge]]) -> dict[int, int]:
    """Operator id -> level. A sink sits in the level of the operator that feeds it."""
    found: dict[int, int] = {}
    for op in operators:
        found[op.id] = max((found[e.source] + e.partitioner.exchanges for e in inputs[op.id]), default=0)
    return found


def levels(operators: Sequence[Operator], of: Mapping[int, int], watermarked: Collection[int]) -> tuple[Level, ...]:
    """The stages of the plan, level 0 first.

    Args:
        operators: All of the job.
        of: Operator id -> level.
        watermarked: Ids of the operators that watermarks come to; from level 1 on they are remembered.
    """
    members: list[list[Operator]] = [[] for _ in range(max(of.values(), default=0) + 1)]
    for op in operators:
        members[of[op.id]].append(op)
    return tuple(
        Level(
            index=i,
            operators=tuple(ops),
            keyed=any(op.keyed for op in ops),
            stateful=any(op.stateful or (i > 0 and op.id in watermarked) for op in ops),
        )
        for i, ops in enumerate(members)
    )
