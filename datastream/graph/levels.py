"""Levels: how many exchanges lie between an operator and the sources."""

from __future__ import annotations

from dataclasses import dataclass

from .job_graph import Edge, JobGraph
from .operators import Operator


@dataclass(frozen=True)
class Level:
    """One stage of the plan: the operators whose longest path from a source crosses `index` exchanges.

    Attributes:
        index: 0 is the sources and everything fused to them.
        operators: In order of creation, which is a topological order.
        keyed: Whether any of them keeps state by key.
        stateful: Whether any of them keeps state of whatever kind, or remembers watermarks.
    """

    index: int
    operators: tuple[Operator, ...]
    keyed: bool
    stateful: bool


def level_of(graph: JobGraph) -> dict[int, int]:
    """Operator id -> level. A sink sits in the level of the operator that feeds it."""
    levels: dict[int, int] = {}
    for op in graph.operators:
        levels[op.id] = max((levels[e.source] + crosses(graph, e) for e in graph.inputs(op.id)), default=0)
    return levels


def crosses(graph: JobGraph, edge: Edge) -> bool:
    """Whether the edge is an exchange."""
    return edge.partitioner.exchanges


def levels(graph: JobGraph) -> list[Level]:
    """The stages of the plan, level 0 first."""
    of = level_of(graph)
    count = max(of.values(), default=0) + 1
    members: list[list[Operator]] = [[] for _ in range(count)]
    for op in graph.operators:
        members[of[op.id]].append(op)
    watermarked = _watermarked(graph)
    return [
        Level(
            index=i,
            operators=tuple(ops),
            keyed=any(op.keyed for op in ops),
            stateful=any(op.stateful or (i > 0 and op.id in watermarked) for op in ops),
        )
        for i, ops in enumerate(members)
    ]


def _watermarked(graph: JobGraph) -> set[int]:
    from .timing import Timing  # which asks for levels itself

    timing = Timing(graph)
    return {e.target for e in graph.edges if e.id in timing.watermarked}
