"""Where event time matters: which edges carry timestamps and watermarks, and whose watermarks they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from datastream.io import FeedbackSource

from .job_graph import Edge
from .operators import Feedback, Operator, Sink, Source, StampedCalc, Timestamps


@dataclass(frozen=True)
class Timing:
    """What is known of a job's event time before it runs.

    Attributes:
        timed: Ids of the edges whose records carry timestamps: some downstream operator may read them.
        timed_from: Ids of the operators whose records' timestamps are read by them, or by some downstream operator.
        timed_behind: Ids of the operators whose results' timestamps are read by some downstream operator.
        watermarked: Ids of the edges that watermarks travel on; none in a job without them, or in batch mode.
        committed: Ids of the edges whose watermarks are reported to the commit: they lead to sinks that read them.
        laned: Id of an operator that makes watermarks -> id of the source whose lanes have one each.
        awake: Every task takes part in every epoch, as timers may be due or watermarks must be reported.
        combines: Ids of the operators that make one watermark of their inputs'. At level 0 nothing is remembered, so
            none does.
        origins: Operator id -> ids of the operators whose watermarks leave it, in order: itself, or those before it
            whose watermarks it does not combine.
        sources: Operator id -> ids of the sources that feed it.
    """

    timed: frozenset[int]
    timed_from: frozenset[int]
    timed_behind: frozenset[int]
    watermarked: frozenset[int]
    committed: frozenset[int]
    laned: Mapping[int, int]
    awake: bool
    combines: frozenset[int]
    origins: Mapping[int, tuple[int, ...]]
    sources: Mapping[int, frozenset[int]]


def timing(
    operators: Sequence[Operator],
    edges: Sequence[Edge],
    inputs: Mapping[int, Sequence[Edge]],
    outputs: Mapping[int, Sequence[Edge]],
    level_of: Mapping[int, int],
    local: Collection[int],
    batch: bool,
) -> Timing:
    """Event time of a job.

    Args:
        operators: All of the job, in topological order.
        edges: All edges.
        inputs: Operator id -> the edges that lead to it.
        outputs: Operator id -> the edges that leave it.
        level_of: Operator id -> level.
        local: Ids of the edges that stay inside a subtask and level.
        batch: Batch mode: no watermark but the last.
    """
    chained: set[int] = set()
    gives: dict[int, bool] = {}  # whether its results have timestamps
    for op in operators:
        own = op.assigns_time or (isinstance(op, Source) and op.source.produced.timestamps)
        gives[op.id] = own or any(gives[e.source] for e in inputs[op.id])
    for op in reversed(operators):  # the chain that sets timestamps has them from its head on
        if isinstance(op, StampedCalc) or (op.id in chained and not op.hosted):
            chained.update(e.source for e in inputs[op.id] if e.id in local)
    gives.update(dict.fromkeys(chained, True))
    read_somewhere = reads_timestamps(operators)
    waits: dict[int, bool] = {}  # whether it, or some downstream operator, reads watermarks
    reads: dict[int, bool] = {}  # the same of timestamps
    for op in reversed(operators):
        waits[op.id] = op.reads_time or op.reads_watermarks or any(waits[e.target] for e in outputs[op.id])
        own = op.reads_time or (isinstance(op, Sink) and op.sink.consumed.timestamps)
        fed_back = isinstance(op, Feedback) and read_somewhere
        reads[op.id] = own or fed_back or any(reads[e.target] for e in outputs[op.id])
    fed = {op.id for op in operators if is_feedback(op)}
    # After the last watermark a loop with exchanges goes on, so that also without any other there is a last one.
    event_time = not batch and (bool(fed) or any(isinstance(op, Timestamps) for op in operators))
    combines = frozenset(op.id for op in operators if level_of[op.id] and _combines(op, inputs[op.id], local))
    laned = {} if batch else _laned(operators, inputs, level_of, local)
    waited = {
        e.id for e in edges if event_time and waits[e.target] and e.source not in fed
    }  # feedback holds nothing back
    to_sinks = {e.id for op in operators if isinstance(op, Sink) for e in inputs[op.id]}
    return Timing(
        timed=frozenset(e.id for e in edges if gives[e.source] and reads[e.target]),
        timed_from=frozenset(op.id for op in operators if gives[op.id] and reads[op.id]),
        timed_behind=frozenset(
            op.id for op in operators if gives[op.id] and any(reads[e.target] for e in outputs[op.id])
        ),
        watermarked=frozenset(waited - to_sinks),
        committed=frozenset(waited & to_sinks),
        laned=laned,
        awake=event_time or any(op.assigns_time or op.reads_clock for op in operators),
        combines=combines,
        origins=_origins(operators, inputs, combines),
        sources=_sources(operators, inputs),
    )


def is_feedback(op: Operator) -> bool:
    """Whether an operator reads what a loop feeds back."""
    return isinstance(op, Source) and isinstance(op.source, FeedbackSource)


def reads_timestamps(operators: Sequence[Operator]) -> bool:
    """Whether any operator or sink of a job may read timestamps."""
    return any(op.reads_time or (isinstance(op, Sink) and op.sink.consumed.timestamps) for op in operators)


def _combines(op: Operator, inputs: Sequence[Edge], local: Collection[int]) -> bool:
    return op.hosted or len(inputs) > 1 or any(e.id not in local for e in inputs)


def _origins(
    operators: Sequence[Operator], inputs: Mapping[int, Sequence[Edge]], combines: Collection[int]
) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for op in operators:
        if is_feedback(op):
            found[op.id] = ()
        elif isinstance(op, (Source, Timestamps)) or op.id in combines:
            found[op.id] = (op.id,)
        else:
            found[op.id] = tuple(sorted({id for e in inputs[op.id] for id in found[e.source]}))
    return found


def _sources(operators: Sequence[Operator], inputs: Mapping[int, Sequence[Edge]]) -> dict[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {}
    for op in operators:
        own = {op.id} if isinstance(op, Source) and not is_feedback(op) else set()
        found[op.id] = frozenset(own).union(*(found[e.source] for e in inputs[op.id]))
    return found


def _laned(
    operators: Sequence[Operator],
    inputs: Mapping[int, Sequence[Edge]],
    level_of: Mapping[int, int],
    local: Collection[int],
) -> dict[int, int]:
    """For operators that make watermarks and see the lanes of one source one after the other: that source."""
    lanes_of: dict[int, int | None] = {}  # operator id -> the source whose lanes leave it one after the other
    found: dict[int, int] = {}
    for op in operators:
        edges = inputs[op.id]
        if isinstance(op, Source):
            lanes_of[op.id] = op.id if op.source.produced.lanes else None
            continue
        source = lanes_of[edges[0].source] if len(edges) == 1 and edges[0].id in local else None
        if isinstance(op, Timestamps) and source is not None and level_of[op.id] == 0:
            found[op.id] = source
        lanes_of[op.id] = None if op.hosted else source  # a host may hold records of one lane back until another's turn
    return found
