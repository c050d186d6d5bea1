"""Loops: which of them stay inside a subtask, and what becomes of the others."""

from __future__ import annotations

from dataclasses import replace

from datastream.io import FeedbackSink, FeedbackSource

from .job_graph import Edge, JobGraph
from .levels import level_of
from .operators import Feedback, Iteration, Operator, Sink, Source
from .timing import reads_timestamps

#: Of the uid of a loop's source, after the loop's name.
FEEDBACK_SOURCE = "-source"


def spool_loops(graph: JobGraph) -> JobGraph:
    """Replace each loop that crosses an exchange by a sink at its tail and a source before its head.

    Other loops stay as they are: there, a record is fed back inside its subtask.
    """
    tails = [op for op in graph.of_kind(Feedback) if _exchanges(graph, op)]
    if not tails:
        return graph
    timestamps = reads_timestamps(graph.operators)
    operators: list[Operator] = []
    number: dict[int, int] = {}
    sources: list[tuple[int, int]] = []  # id of a new source, old id of the head
    for op in graph.operators:
        for tail in tails:
            if tail.head == op.id:
                source = _source(graph, op, tail, len(operators), timestamps)
                sources.append((source.id, op.id))
                operators.append(source)
        number[op.id] = len(operators)
        if op in tails:
            operators.append(_sink(graph, op, number[op.id], timestamps))
        elif isinstance(op, Feedback):
            operators.append(replace(op, id=number[op.id], head=number[op.head], uid=op.state_uid))
        else:
            operators.append(replace(op, id=number[op.id], uid=op.state_uid))
    edges = [replace(edge, source=number[edge.source], target=number[edge.target]) for edge in graph.edges]
    edges += [Edge(len(edges) + i, source, number[head]) for i, (source, head) in enumerate(sources)]
    return replace(graph, operators=tuple(operators), edges=tuple(edges))


def loops_feeding(graph: JobGraph) -> dict[int, frozenset[int]]:
    """For the source of each loop with an exchange: the loops whose records may come to its tail, itself among them.

    Such are the loops inside it, around it and before it. All are named by the ids of their sources.
    """
    outputs: dict[int, list[int]] = {op.id: [] for op in graph.operators}
    for edge in graph.edges:
        outputs[edge.source].append(edge.target)
    tails = {op.sink.loop: op.id for op in graph.of_kind(Sink) if isinstance(op.sink, FeedbackSink)}
    heads = {op.id: op.source.loop for op in graph.of_kind(Source) if isinstance(op.source, FeedbackSource)}
    behind = {id: _reached(id, outputs) for id in heads}
    return {id: frozenset(other for other in heads if tails[loop] in behind[other]) for id, loop in heads.items()}


def _exchanges(graph: JobGraph, tail: Feedback) -> bool:
    """Whether any way from a loop's head to its tail leaves the subtask."""
    inputs: dict[int, list[Edge]] = {op.id: [] for op in graph.operators}
    outputs: dict[int, list[Edge]] = {op.id: [] for op in graph.operators}
    for edge in graph.edges:
        inputs[edge.target].append(edge)
        outputs[edge.source].append(edge)
    levels = level_of(graph.operators, inputs)
    before = _reached(tail.id, {id: [e.source for e in edges] for id, edges in inputs.items()})
    behind = _reached(tail.head, {id: [e.target for e in edges] for id, edges in outputs.items()})
    inside = before & behind
    return any(
        edge.partitioner.exchanges or levels[edge.source] != levels[edge.target]
        for edge in graph.edges
        if edge.source in inside and edge.target in inside
    )


def _reached(start: int, neighbours: dict[int, list[int]]) -> set[int]:
    found, ahead = {start}, [start]
    while ahead:
        for id in neighbours[ahead.pop()]:
            if id not in found:
                found.add(id)
                ahead.append(id)
    return found


def _loop(graph: JobGraph, tail: Feedback) -> str:
    """The name of a loop: the uid of its head, and a number where several streams are fed back to it."""
    head = graph.operators[tail.head]
    tails = [op.id for op in graph.of_kind(Feedback) if op.head == tail.head]
    number = "" if len(tails) == 1 else f"-{tails.index(tail.id)}"
    return f"{head.state_uid}-feedback{number}"


def _source(graph: JobGraph, head: Operator, tail: Feedback, id: int, timestamps: bool) -> Source:
    assert isinstance(head, Iteration)
    loop = _loop(graph, tail)
    return Source(
        id,
        f"Feedback of {head.name}",
        uid=f"{loop}{FEEDBACK_SOURCE}",
        parallelism=graph.subtasks(head),
        output_type=head.output_type,
        fits=True,
        origin=tail.origin,
        source=FeedbackSource(loop, timestamps, head.max_wait_ms, head.max_iterations),
    )


def _sink(graph: JobGraph, tail: Feedback, id: int, timestamps: bool) -> Sink:
    return Sink(
        id,
        tail.name,
        uid=f"{_loop(graph, tail)}-sink",
        parallelism=tail.parallelism,
        origin=tail.origin,
        sink=FeedbackSink(_loop(graph, tail), timestamps),
    )
