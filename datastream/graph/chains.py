"""Fused chains: operators that run as one generated function, and where they end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .job_graph import Edge
from .operators import Feedback, Iteration, Operator, Sink


@dataclass(frozen=True)
class Chain:
    """Operators that run as one: a record passes through all of them without being copied.

    A chain is a tree: streams may part in it, but only its head takes records of other chains.

    Attributes:
        operators: In the order in which a record passes them, one branch after the other. When the head is a source or
            runs in a host, the generated function begins after it.
        exits: The edges that leave it.
    """

    operators: tuple[Operator, ...]
    exits: tuple[Edge, ...]

    @property
    def head(self) -> Operator:
        return self.operators[0]


def ends_chain(edge: Edge, source: Operator, target: Operator, inputs: Sequence[Edge], together: bool) -> bool:
    """Whether an edge ends a chain: at an exchange, a sink, a host, a join of paths, a loop, or where the user wants.

    Args:
        edge: The edge.
        source: The operator that it leaves.
        target: The operator that it leads to.
        inputs: All edges that lead there.
        together: Both operators are of one level and have as many subtasks.
    """
    return (
        edge.partitioner.exchanges
        or isinstance(target, (Sink, Iteration, Feedback))
        or target.hosted
        or not together
        or not (source.chain_next and target.chain)
        or len(inputs) > 1
    )


def chains(
    operators: Sequence[Operator], outputs: Mapping[int, Sequence[Edge]], ends: Collection[int]
) -> tuple[Chain, ...]:
    """The chains in order of their heads. Every operator is in exactly one.

    Args:
        operators: All of the job.
        outputs: Operator id -> the edges that leave it.
        ends: Ids of the edges that end a chain.
    """
    by_id = {op.id: op for op in operators}
    inside = {e.target for edges in outputs.values() for e in edges if e.id not in ends}
    found = []
    for head in operators:
        if head.id in inside:
            continue
        members, exits, ahead = [], [], [head]
        while ahead:
            op = ahead.pop()
            members.append(op)
            exits += [e for e in outputs[op.id] if e.id in ends]
            ahead += [by_id[e.target] for e in reversed(outputs[op.id]) if e.id not in ends]
        found.append(Chain(tuple(members), tuple(exits)))
    return tuple(found)
