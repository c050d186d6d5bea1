"""Where event time matters: which edges carry timestamps and watermarks, and whose watermarks they are."""

from __future__ import annotations

from .job_graph import Edge, JobGraph
from .levels import level_of
from .operators import Operator, Sink, Source, Timestamps


class Timing:
    """What is known of a graph's event time before it runs.

    Attributes:
        timed: Ids of the edges whose records carry timestamps: somebody behind may ask for them.
        watermarked: Ids of the edges that watermarks travel on; none in a job without them, or in batch mode.
        laned: Id of an operator that makes watermarks -> id of the source whose lanes have one each.
        awake: Every task takes part in every epoch, as timers may be due or watermarks must be told.
    """

    def __init__(self, graph: JobGraph) -> None:
        self._graph = graph
        self._level = level_of(graph)
        self._gives: dict[int, bool] = {}
        self._asks: dict[int, bool] = {}
        waits: dict[int, bool] = {}
        for op in graph.operators:
            gives = op.assigns_time or (isinstance(op, Source) and op.source.timestamped)
            self._gives[op.id] = gives or any(self._gives[e.source] for e in graph.inputs(op.id))
        for op in reversed(graph.operators):
            waits[op.id] = op.reads_time or any(waits[e.target] for e in graph.outputs(op.id))
            asks = op.reads_time or (isinstance(op, Sink) and op.sink.timestamped)
            self._asks[op.id] = asks or any(self._asks[e.target] for e in graph.outputs(op.id))
        self.timed = {e.id for e in graph.edges if self._gives[e.source] and self._asks[e.target]}
        event_time = not graph.batch and bool(graph.of_kind(Timestamps))
        self.watermarked = {e.id for e in graph.edges if event_time and waits[e.target]}
        self.laned = {op.id: id for op in graph.of_kind(Timestamps) if (id := self._lanes_of(op)) is not None}
        self.awake = event_time or any(op.assigns_time for op in graph.operators)

    def _lanes_of(self, op: Operator) -> int | None:
        """The source whose lanes an operator sees one after the other, if there is one."""
        if self._level[op.id] or self._graph.batch:
            return None
        while not isinstance(op, Source):
            inputs = self._graph.inputs(op.id)
            if len(inputs) != 1 or self.arrives(inputs[0]):
                return None
            op = self._graph.operator(inputs[0].source)
            if op.hosted:  # may hold records of one lane back until another's turn
                return None
        return op.id if op.source.laned else None

    def chain_timed(self, op: Operator, outputs_only: bool) -> bool:
        """Whether the chain from an operator on, or from right behind it, needs the timestamps of its records."""
        if not self._gives[op.id]:
            return False
        if not outputs_only:
            return self._asks[op.id]
        return any(self._asks[e.target] for e in self._graph.outputs(op.id))

    def arrives(self, edge: Edge) -> bool:
        """Whether an edge brings blocks of another stage, or of another subtask."""
        return edge.partitioner.exchanges or self._level[edge.source] != self._level[edge.target]

    def combines(self, op: Operator) -> bool:
        """Whether an operator makes one watermark of its inputs': at level 0 nobody remembers them, so none does."""
        if self._level[op.id] == 0:
            return False
        inputs = self._graph.inputs(op.id)
        return op.hosted or len(inputs) > 1 or any(self.arrives(e) for e in inputs)

    def origins(self, op: Operator) -> set[int]:
        """The operators whose watermarks leave an operator: itself, or those before it that it does not combine."""
        if isinstance(op, (Source, Timestamps)) or self.combines(op):
            return {op.id}
        return {id for e in self._graph.inputs(op.id) for id in self.origins(self._graph.operator(e.source))}

    def sources(self, op: Operator) -> set[int]:
        """The sources of the same level that feed an operator of level 0."""
        if isinstance(op, Source):
            return {op.id}
        return {id for e in self._graph.inputs(op.id) for id in self.sources(self._graph.operator(e.source))}
