"""The plan as text for people and as JSON in the shape of Flink's execution plan."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from .job_graph import Edge, JobGraph
from .levels import Level, levels
from .operators import Operator, Origin, Sink, Source

PACTS = {Source.kind: "Data Source", Sink.kind: "Data Sink"}


@dataclass(frozen=True)
class Chain:
    """Operators that run as one: a record passes through all of them without being copied.

    Attributes:
        operators: In the order in which a record passes them.
    """

    operators: tuple[Operator, ...]

    @property
    def head(self) -> Operator:
        return self.operators[0]

    @property
    def tail(self) -> Operator:
        return self.operators[-1]


def fuses(graph: JobGraph, edge: Edge) -> bool:
    """Whether the edge joins two operators of one chain.

    A chain is a line: it ends where a stream branches, merges, leaves the subtask or is written to a sink.
    """
    source, target = graph.operator(edge.source), graph.operator(edge.target)
    return (
        not edge.partitioner.exchanges
        and edge.tag is None
        and source.chain_next
        and target.chain
        and not isinstance(target, Sink)
        and graph.subtasks(source) == graph.subtasks(target)
        and len(graph.outputs(source.id)) == 1
        and len(graph.inputs(target.id)) == 1
    )


def chains(graph: JobGraph) -> list[Chain]:
    """The fused chains, in order of their heads. Every operator is in exactly one."""
    following = {e.source: e.target for e in graph.edges if fuses(graph, e)}
    joined = set(following.values())
    result: list[Chain] = []
    for op in graph.operators:
        if op.id in joined:
            continue
        members = [op]
        while members[-1].id in following:
            members.append(graph.operator(following[members[-1].id]))
        result.append(Chain(tuple(members)))
    return result


def keeps(graph: JobGraph, op: Operator) -> str | None:
    """What an operator keeps over restarts, in words, or None."""
    if isinstance(op, Source):
        return "offsets"
    if isinstance(op, Sink):
        return None
    found = ["state by key"] if op.keyed else []
    if op.keeps_broadcast_state:
        found.append("broadcast state")
    return " and ".join(found) or None


def short_origin(origin: Origin | None) -> str:
    """``file:line`` without the folders, or an empty text."""
    return "" if origin is None else f"{PurePath(origin.file).name}:{origin.line}"


def counted(count: int, noun: str) -> str:
    """``1 level``, ``2 levels``."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def explain(graph: JobGraph) -> str:
    """The plan as text: levels, chains, operators, partitioners, and where state is kept."""
    stages = levels(graph)
    exchanges = sum(e.partitioner.exchanges for e in graph.edges)
    lines = [
        f"Job '{graph.name}' ({'batch' if graph.batch else 'streaming'})",
        f"  {counted(len(graph.operators), 'operator')}, {counted(len(stages), 'level')}, "
        f"{counted(exchanges, 'exchange')}; "
        f"parallelism {graph.parallelism}, {counted(graph.max_parallelism, 'key group')}",
    ]
    by_head = {chain.head.id: chain for chain in chains(graph)}
    homes = {op.id: chain for chain in by_head.values() for op in chain.operators}
    for stage in stages:
        lines += ["", *_stage(graph, stage, homes)]
    return "\n".join(lines) + "\n"


def _stage(graph: JobGraph, stage: Level, homes: dict[int, Chain]) -> list[str]:
    title = f"Level {stage.index}"
    if stage.index == 0:
        title += ": sources and what is fused to them"
    elif stage.keyed:
        title += ": keeps state by key"
    elif stage.stateful:
        title += ": keeps state"
    lines = [title]
    widths = _Widths.of(stage)
    for op in stage.operators:
        chain = homes[op.id]
        if op is chain.head:
            lines += _chain(graph, chain, widths)
    return lines


@dataclass(frozen=True)
class _Widths:
    id: int
    kind: int
    name: int
    uid: int

    @classmethod
    def of(cls, stage: Level) -> _Widths:
        ops = stage.operators
        return cls(
            id=max((len(str(op.id)) for op in ops), default=0) + 1,
            kind=max((len(op.kind) for op in ops), default=0),
            name=min(max((len(op.name) for op in ops), default=0), 48),
            uid=min(max((len(op.state_uid) for op in ops), default=0), 32),
        )


def _chain(graph: JobGraph, chain: Chain, widths: _Widths) -> list[str]:
    lines: list[str] = []
    fused = len(chain.operators) > 1
    for position, op in enumerate(chain.operators):
        if not fused:
            rail = "─"
        elif position == 0:
            rail = "┌"
        else:
            rail = "└" if op is chain.tail else "│"
        notes = [f"parallelism {graph.subtasks(op)}"]
        kept = keeps(graph, op)
        if kept is not None:
            notes.append(f"keeps {kept}")
        if op.origin is not None:
            notes.append(str(op.origin))
        lines.append(
            f"  {rail} {f'#{op.id}':<{widths.id}}  {op.kind:<{widths.kind}}  "
            f"{_cut(op.name, 48):<{widths.name}}  uid {op.state_uid:<{widths.uid}}  {', '.join(notes)}"
        )
        if position == 0:
            lines += [f"      <- {_arrival(graph, edge)}" for edge in graph.inputs(op.id)]
    return lines


def _arrival(graph: JobGraph, edge: Edge) -> str:
    source = graph.operator(edge.source)
    side = "" if edge.tag is None else f", side output '{edge.tag.tag_id}'"
    return f"{edge.partitioner.name} from #{source.id} {_cut(source.name, 48)}{side}"


def _cut(name: str, limit: int) -> str:
    return name if len(name) <= limit else name[: limit - 1] + "…"


def to_json(graph: JobGraph) -> str:
    """The plan in the JSON shape of Flink's ``getExecutionPlan()``.

    See https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/ (execution plans). Two inputs of
    one operator are told apart by `side`, as Flink's plan visualiser expects.
    """
    return json.dumps({"nodes": [_node(graph, op) for op in graph.operators]}, indent=2)


def _node(graph: JobGraph, op: Operator) -> dict[str, Any]:
    pact = PACTS.get(op.kind, "Operator")
    title = {Source.kind: f"Source: {op.name}", Sink.kind: f"Sink: {op.name}"}.get(op.kind, op.name)
    node: dict[str, Any] = {
        "id": op.id,
        "type": title,
        "pact": pact,
        "contents": op.description or title,
        "parallelism": graph.subtasks(op),
    }
    inputs = graph.inputs(op.id)
    if inputs:
        node["predecessors"] = [
            {
                "id": edge.source,
                "ship_strategy": edge.partitioner.name.upper(),
                "side": "first" if position == 0 and len(inputs) > 1 else "second",
            }
            for position, edge in enumerate(inputs)
        ]
    return node
