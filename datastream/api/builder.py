"""The graph while it grows; `build` gives the frozen and checked one."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from datastream.errors import ValidationError
from datastream.functions import OutputTag
from datastream.graph import Edge, Forward, Hash, JobGraph, Operator, Origin, Partitioner, Rebalance
from datastream.graph.loops import spool_loops
from datastream.graph.operators import Feedback, Iteration, Map, Sink, Source, Union
from datastream.io import FeedbackSink, FeedbackSource
from datastream.types.pickles import as_now
from datastream.types.type_information import as_type

from .callables import caller

#: What an operator reads: the operator before it, how its records are placed, which of its outputs.
Input = tuple[int, Partitioner, OutputTag | None]


class GraphBuilder:
    """Operators and edges in the order in which the user's program makes them."""

    def __init__(self) -> None:
        self.operators: dict[int, Operator] = {}
        self.edges: list[tuple[int, int, Partitioner, OutputTag | None]] = []
        self._fresh: set[int] = set()
        self._keyed: list[tuple[Input, Callable[[Any], Any], Origin | None]] = []  # keyed since the last build
        self._executed: Origin | None = None  # where the last job was started
        self.of_source: dict[int, int] = {}  # what makes watermarks for a source -> the source: one to the user
        self.tags: dict[tuple[int, str], OutputTag] = {}

    def add(self, kind: type[Operator], name: str, inputs: list[Input], **fields: Any) -> int:
        id = len(self.operators)
        if fields.get("output_type") is not None:
            fields["output_type"] = as_type(fields["output_type"])
        if kind not in (Source, Sink):
            types = {name: fields.pop(name) for name in ("output_type", "hinted") if name in fields}
            fields = as_now(fields) | types  # as in Flink, variables count as they are when a function is given
        self.operators[id] = kind(id, name, origin=caller(), **fields)
        self.edges += [(source, id, partitioner, tag) for source, partitioner, tag in inputs]
        self._fresh.add(id)
        return id

    def note_keyed(self, input: Input, key: Callable[[Any], Any]) -> None:
        """A stream has been keyed."""
        self._keyed.append((input, key, caller()))

    def _add_unread_keys(self) -> None:
        """Operators for what nothing reads: a job without a sink runs for what its functions do, keys' included."""
        read = {id(partitioner.key) for _, _, partitioner, _ in self.edges if isinstance(partitioner, Hash)}
        for input, key, origin in self._keyed:
            if id(key) not in read:
                self.change(self.add(Map, "Key", [input], function=key), origin=origin)

    def change(self, id: int, **fields: Any) -> None:
        self.operators[id] = replace(self.operators[id], **fields)

    def note_written(self, id: int, table: str) -> None:
        """An operator, and all that feed it, work for a table that a sink writes."""
        for op in self.before(id):
            self.change(op, written=(*self.operators[op].written, table))

    def before(self, id: int) -> set[int]:
        """An operator and all that feed it."""
        found = {id}
        for source, target, *_ in reversed(self.edges):
            if target in found:
                found.add(source)
        return found

    def build(self, name: str, parallelism: int, max_parallelism: int | None, batch: bool, chaining: bool) -> JobGraph:
        """Everything made since the last build, and all that feeds it.

        Raises:
            ValidationError: there is no sink or source, or two operators share a uid.
        """
        graph = self.preview(name, parallelism, max_parallelism, batch, chaining)
        if self._keyed and not any(graph.of_kind(Sink)):
            self._add_unread_keys()
            graph = self.preview(name, parallelism, max_parallelism, batch, chaining)
        if not graph.operators and self._executed is not None:
            raise ValidationError(
                f"the job has no operators: those made so far ran as a job at {self._executed}; execute() and "
                "execute_and_collect() each run one, so call one of them, behind all sinks"
            )
        _check(graph)
        self._fresh.clear()
        self._keyed.clear()
        self._executed = caller()
        return graph

    def preview(
        self, name: str, parallelism: int, max_parallelism: int | None, batch: bool, chaining: bool
    ) -> JobGraph:
        read = {source for source, *_ in self.edges}
        # As in Flink, a source that nothing reads is no part of the job.
        wanted = {id for id in self._fresh if id in read or not isinstance(self.operators[id], Source)}
        for source, target, *_ in reversed(self.edges):
            if target in wanted:
                wanted.add(source)
        number = {id: i for i, id in enumerate(sorted(wanted))}
        operators = tuple(
            replace(self.operators[id], id=i, chain=self.operators[id].chain and chaining) for id, i in number.items()
        )
        operators = tuple(_tail(op, operators[number[op.head]]) if isinstance(op, Feedback) else op for op in operators)
        kept = [e for e in self.edges if e[1] in wanted]
        edges = []
        for i, (source, target, partitioner, tag) in enumerate(kept):
            a, b = operators[number[source]], operators[number[target]]
            if partitioner == Forward() and (a.parallelism or parallelism) != (b.parallelism or parallelism):
                partitioner = Rebalance()  # as Flink does when the number of subtasks changes
            edges.append(Edge(i, a.id, b.id, partitioner, tag))
        graph = spool_loops(JobGraph(name, operators, tuple(edges), parallelism, max_parallelism or 128, batch))
        return replace(graph, max_parallelism=max_parallelism or max(128, graph.width))


def _tail(op: Feedback, head: Operator) -> Feedback:
    """The tail of a loop has as many subtasks as its head."""
    return replace(op, head=head.id, parallelism=head.parallelism)


def _check_without_sink(graph: JobGraph) -> None:
    """A job without a sink runs for what its functions do, as in Flink, if it has any."""
    last = graph.operators[-1]
    place = f"its last operator is '{last.name}', made at {last.origin}"
    if any(graph.of_kind(Sink)) or all(isinstance(op, (Source, Union)) for op in graph.operators):
        raise ValidationError(
            f"the job has no sink, so nothing would come out of it ({place}); end a stream with sink_to(...), "
            "add_sink(...), print() or execute_and_collect()"
        )
    logging.getLogger("datastream").warning(
        "the job has no sink: it runs for what its functions do, and their results are dropped (%s); end it with "
        "sink_to(DiscardingSink()) if that is meant, or with sink_to(...), add_sink(...), print() or "
        "execute_and_collect()",
        place,
    )


def _check(graph: JobGraph) -> None:
    if not graph.operators:
        raise ValidationError("the job has no operators: make a stream from a source, and give it a sink")
    if all(isinstance(op.sink, FeedbackSink) for op in graph.of_kind(Sink)):
        _check_without_sink(graph)
    _check_loops(graph)
    counts = Counter(op.state_uid for op in graph.operators)
    for uid, n in counts.items():
        if n > 1:
            places = ", ".join(f"'{op.name}' at {op.origin}" for op in graph.operators if op.state_uid == uid)
            raise ValidationError(f"the uid '{uid}' is used by {n} operators ({places}); a uid must be unique")
    for source in graph.of_kind(Source):
        read = {e.tag.tag_id for e in graph.edges if e.source == source.id and e.tag is not None}
        for tag in source.source.produced.side_tags:
            if tag.tag_id not in read:
                raise ValidationError(
                    f"nobody reads the side output '{tag.tag_id}' of '{source.name}' (made at {source.origin}), so "
                    "what goes there would be lost; give stream.get_side_output(tag) a sink"
                )
    for op in graph.operators:
        most = op.max_parallelism or graph.max_parallelism
        if op.keyed and graph.subtasks(op) > most:
            raise ValidationError(
                f"operator '{op.name}' has parallelism {graph.subtasks(op)}, more than its {most} key groups "
                "(set_max_parallelism)"
            )


def _check_loops(graph: JobGraph) -> None:
    fed = {op.head for op in graph.of_kind(Feedback)}
    fed |= {edge.target for edge in graph.edges if _feeds_back(graph.operators[edge.source])}
    for op in graph.of_kind(Iteration):
        if op.id not in fed:
            raise ValidationError(
                f"the loop that iterate() began at {op.origin} is never closed: call close_with(feedback) on what "
                "iterate() returned, with the stream of the records that go round again"
            )


def _feeds_back(op: Operator) -> bool:
    return isinstance(op, Source) and isinstance(op.source, FeedbackSource)
