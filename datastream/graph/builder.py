"""The graph while it grows; `build` returns the frozen and checked one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from datastream.errors import ValidationError
from datastream.functions import OutputTag
from datastream.types import TypeInformation
from datastream.types.pickles import as_now
from datastream.types.type_information import as_type

from .checks import check_graph
from .job_graph import Edge, JobGraph
from .loops import spool_loops
from .operators import Feedback, Map, Operator, Origin, Sink, Source
from .origins import caller
from .partitioners import Forward, Hash, Partitioner, Rebalance


@dataclass(frozen=True)
class Node:
    """An output of an operator, and how its records go to those that read it.

    Attributes:
        builder: The graph that it is part of.
        id: The operator.
        partitioner: How the records are placed.
        tag: The side output; None: the main one.
    """

    builder: GraphBuilder
    id: int
    partitioner: Partitioner = Forward()
    tag: OutputTag | None = None

    @property
    def operator(self) -> Operator:
        """The operator, as it is now."""
        return self.builder.operators[self.id]

    @property
    def output_type(self) -> TypeInformation | None:
        """The declared type of the records."""
        return self.operator.output_type if self.tag is None else self.tag.type_info

    @property
    def hinted(self) -> TypeInformation | None:
        """The type that the function's annotations speak of."""
        return self.operator.hinted if self.tag is None else None

    @property
    def types(self) -> dict[str, TypeInformation | None]:
        """Both, as fields of an operator that gives on the same records."""
        return {"output_type": self.output_type, "hinted": self.hinted}

    @property
    def place(self) -> str:
        """The operator's name and line, for messages."""
        return f"'{self.operator.name}' (made at {self.operator.origin})"

    def change(self, **fields: Any) -> Node:
        """Change fields of the operator."""
        self.builder.change(self.id, **fields)
        return self

    def then(self, kind: type[Operator], name: str, **fields: Any) -> Node:
        """Add an operator that reads this output."""
        return self.builder.add(kind, name, [self], **fields)

    def partitioned(self, partitioner: Partitioner) -> Node:
        """The same output, with its records placed in another way."""
        return replace(self, partitioner=partitioner)


class GraphBuilder:
    """Operators and edges in the order in which the user's program makes them.

    Attributes:
        operators: All operators by id.
        edges: Source, target, partitioner and side output of each edge.
        unbuilt: Ids of the operators that were made since the last build.
        of_source: The operator that makes watermarks for a source -> the source: they are one to the user.
        tags: The tag of each side output that is read, by operator and name.
    """

    def __init__(self) -> None:
        self.operators: dict[int, Operator] = {}
        self.edges: list[tuple[int, int, Partitioner, OutputTag | None]] = []
        self.unbuilt: set[int] = set()
        self.of_source: dict[int, int] = {}
        self.tags: dict[tuple[int, str], OutputTag] = {}
        self._keyed: list[tuple[Node, Callable[[Any], Any], Origin | None]] = []  # keyed since the last build
        self._executed: Origin | None = None  # where the last job was started

    def add(self, kind: type[Operator], name: str, inputs: Iterable[Node], **fields: Any) -> Node:
        """Add an operator.

        Args:
            kind: Its class.
            name: For people.
            inputs: What it reads.
            fields: The class's other fields.
        """
        id = len(self.operators)
        if fields.get("output_type") is not None:
            fields["output_type"] = as_type(fields["output_type"])
        if kind not in (Source, Sink):
            types = {name: fields.pop(name) for name in ("output_type", "hinted") if name in fields}
            fields = as_now(fields) | types  # as in Flink, variables count as they are when a function is given
        self.operators[id] = kind(id, name, origin=caller(), **fields)
        self.edges += [(node.id, id, node.partitioner, node.tag) for node in inputs]
        self.unbuilt.add(id)
        return Node(self, id)

    def note_keyed(self, node: Node, key: Callable[[Any], Any]) -> None:
        """A stream has been keyed."""
        self._keyed.append((node, key, caller()))

    def _add_unread_keys(self) -> None:
        """Operators for what nothing reads: a job without a sink runs for what its functions do, keys' included."""
        read = {id(partitioner.key) for _, _, partitioner, _ in self.edges if isinstance(partitioner, Hash)}
        for node, key, origin in self._keyed:
            if id(key) not in read:
                node.then(Map, "Key", function=key).change(origin=origin)

    def change(self, id: int, **fields: Any) -> None:
        """Change fields of an operator."""
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

    @contextmanager
    def own_job(self) -> Iterator[None]:
        """What is made meanwhile, with all that feeds it, is a job of its own; other operators are for later ones."""
        later, self.unbuilt = self.unbuilt, set()
        first = len(self.operators)
        try:
            yield
        finally:
            used: set[int] = set()
            for id in range(first, len(self.operators)):
                used |= self.before(id)
            self.unbuilt = later - used

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Take back the operators that are made meanwhile."""
        operators, edges = len(self.operators), len(self.edges)
        later, self.unbuilt = self.unbuilt, set()
        try:
            yield
        finally:
            self.unbuilt = later
            for id in range(operators, len(self.operators)):
                del self.operators[id]
            del self.edges[edges:]

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
                "execute_and_collect() each run one, so call one of them, after all sinks"
            )
        check_graph(graph)
        self.unbuilt.clear()
        self._keyed.clear()
        self._executed = caller()
        return graph

    def preview(
        self, name: str, parallelism: int, max_parallelism: int | None, batch: bool, chaining: bool
    ) -> JobGraph:
        """The same as `build`, without checks; what is shown stays part of the next job."""
        read = {source for source, *_ in self.edges}
        # As in Flink, a source that nothing reads is no part of the job.
        wanted = {id for id in self.unbuilt if id in read or not isinstance(self.operators[id], Source)}
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
