"""The plan of a job: all that follows from its graph, worked out once, before it runs.

Executors, explanation, drawing and checkpoints read it; a process of a job makes it once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from datastream.functions import OutputTag

from .chains import Chain, chains, ends_chain
from .job_graph import Edge, JobGraph
from .levels import Level, level_of, levels
from .operators import Feedback, Operator, Sink, Source
from .timing import Timing, timing


@dataclass(frozen=True)
class Plan:
    """What runs where, for a `JobGraph`. Made by `Plan.of`; tables are by operator id or edge id.

    Attributes:
        graph: The job.
        operators: Operator id -> operator, in topological order.
        edges: Edge id -> edge.
        inputs: Operator id -> the edges that lead to it, in the order in which the API call names them.
        outputs: Operator id -> the edges that leave it.
        sources: The job's sources.
        sinks: The job's sinks.
        subtasks: Operator id -> number of its subtasks.
        key_groups: Operator id -> number of its key groups.
        width: Spark tasks of each stage: enough for the widest operator.
        levels: The stages, level 0 first.
        level_of: Operator id -> level.
        local: Ids of the edges that stay inside a subtask and level; the others leave by a port.
        chains: The fused chains, in order of their heads.
        chain_ends: Ids of the edges that end a chain.
        sides: Edge id -> which of its target's inputs it is, from 0.
        side_outputs: Operator id -> the tags of its side outputs that are read, each once.
        loops: Ids of the heads of loops that stay inside a subtask.
        broadcast_state: Ids of the edges whose records make broadcast state.
        timing: Event time.
    """

    graph: JobGraph
    operators: Mapping[int, Operator]
    edges: Mapping[int, Edge]
    inputs: Mapping[int, tuple[Edge, ...]]
    outputs: Mapping[int, tuple[Edge, ...]]
    sources: tuple[Source, ...]
    sinks: tuple[Sink, ...]
    subtasks: Mapping[int, int]
    key_groups: Mapping[int, int]
    width: int
    levels: tuple[Level, ...]
    level_of: Mapping[int, int]
    local: frozenset[int]
    chains: tuple[Chain, ...]
    chain_ends: frozenset[int]
    sides: Mapping[int, int]
    side_outputs: Mapping[int, tuple[OutputTag, ...]]
    loops: frozenset[int]
    broadcast_state: frozenset[int]
    timing: Timing

    @classmethod
    def of(cls, graph: JobGraph) -> Plan:
        """The plan of a graph; the same in every process."""
        operators = {op.id: op for op in graph.operators}
        inputs = _grouped(graph, lambda edge: edge.target)
        outputs = _grouped(graph, lambda edge: edge.source)
        of = level_of(graph.operators, inputs)
        local = frozenset(e.id for e in graph.edges if not e.partitioner.exchanges and of[e.source] == of[e.target])
        subtasks = {op.id: graph.subtasks(op) for op in graph.operators}
        together = {e.id for e in graph.edges if e.id in local and subtasks[e.source] == subtasks[e.target]}
        ends = frozenset(
            e.id
            for e in graph.edges
            if ends_chain(e, operators[e.source], operators[e.target], inputs[e.target], e.id in together)
        )
        times = timing(graph.operators, graph.edges, inputs, outputs, of, local, graph.batch)
        watermarked = {e.target for e in graph.edges if e.id in times.watermarked}
        return cls(
            graph=graph,
            operators=operators,
            edges={e.id: e for e in graph.edges},
            inputs=inputs,
            outputs=outputs,
            sources=tuple(graph.of_kind(Source)),
            sinks=tuple(graph.of_kind(Sink)),
            subtasks=subtasks,
            key_groups={op.id: op.max_parallelism or graph.max_parallelism for op in graph.operators},
            width=graph.width,
            levels=levels(graph.operators, of, watermarked),
            level_of=of,
            local=local,
            chains=chains(graph.operators, outputs, ends),
            chain_ends=ends,
            sides={edge.id: i for edges in inputs.values() for i, edge in enumerate(edges)},
            side_outputs={id: _tags(edges) for id, edges in outputs.items()},
            loops=frozenset(op.head for op in graph.of_kind(Feedback)),
            broadcast_state=frozenset(inputs[op.id][1].id for op in graph.operators if op.keeps_broadcast_state),
            timing=times,
        )


def _grouped(graph: JobGraph, operator: Callable[[Edge], int]) -> dict[int, tuple[Edge, ...]]:
    """The edges of each operator."""
    found: dict[int, list[Edge]] = {op.id: [] for op in graph.operators}
    for edge in graph.edges:
        found[operator(edge)].append(edge)
    return {id: tuple(edges) for id, edges in found.items()}


def _tags(edges: tuple[Edge, ...]) -> tuple[OutputTag, ...]:
    return tuple({e.tag.tag_id: e.tag for e in edges if e.tag is not None}.values())
