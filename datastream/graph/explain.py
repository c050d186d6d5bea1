"""The plan as text for people and as JSON in the shape of Flink's execution plan."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from .chains import Chain
from .job_graph import Edge
from .levels import Level
from .operators import Operator, Origin, Sink, Source
from .plan import Plan

PACTS = {Source.kind: "Data Source", Sink.kind: "Data Sink"}


def keeps(op: Operator) -> str | None:
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


def explain(plan: Plan) -> str:
    """The plan as text: levels, chains, operators, partitioners, and where state is kept."""
    graph = plan.graph
    exchanges = sum(e.partitioner.exchanges for e in graph.edges)
    lines = [
        f"Job '{graph.name}' ({'batch' if graph.batch else 'streaming'})",
        f"  {counted(len(graph.operators), 'operator')}, {counted(len(plan.levels), 'level')}, "
        f"{counted(exchanges, 'exchange')}; "
        f"parallelism {graph.parallelism}, {counted(graph.max_parallelism, 'key group')}",
    ]
    by_head = {chain.head.id: chain for chain in plan.chains}
    for level in plan.levels:
        lines += ["", *_level(plan, level, by_head)]
    return "\n".join(lines) + "\n"


def _level(plan: Plan, level: Level, by_head: dict[int, Chain]) -> list[str]:
    title = f"Level {level.index}"
    if level.index == 0:
        title += ": sources and what is fused to them"
    elif level.keyed:
        title += ": keeps state by key"
    elif level.stateful:
        title += ": keeps state"
    lines = [title]
    widths = _Widths.of(level)
    for op in level.operators:
        if op.id in by_head:
            lines += _chain(plan, by_head[op.id], widths)
    return lines


@dataclass(frozen=True)
class _Widths:
    id: int
    kind: int
    name: int
    uid: int

    @classmethod
    def of(cls, level: Level) -> _Widths:
        ops = level.operators
        return cls(
            id=max((len(str(op.id)) for op in ops), default=0) + 1,
            kind=max((len(op.kind) for op in ops), default=0),
            name=min(max((len(op.name) for op in ops), default=0), 48),
            uid=min(max((len(op.state_uid) for op in ops), default=0), 32),
        )


def _chain(plan: Plan, chain: Chain, widths: _Widths) -> list[str]:
    lines: list[str] = []
    fused = len(chain.operators) > 1
    for position, op in enumerate(chain.operators):
        if not fused:
            rail = "─"
        elif position == 0:
            rail = "┌"
        else:
            rail = "└" if position == len(chain.operators) - 1 else "│"
        notes = [f"parallelism {plan.subtasks[op.id]}"]
        kept = keeps(op)
        if kept is not None:
            notes.append(f"keeps {kept}")
        if op.origin is not None:
            notes.append(str(op.origin))
        lines.append(
            f"  {rail} {f'#{op.id}':<{widths.id}}  {op.kind:<{widths.kind}}  "
            f"{_cut(op.name, 48):<{widths.name}}  uid {op.state_uid:<{widths.uid}}  {', '.join(notes)}"
        )
        branch = position > 0 and starts_branch(plan, chain, position)
        if position == 0 or branch:
            rail = "│" if branch and position < len(chain.operators) - 1 else " "
            lines += [f"  {rail}   <- {_arrival(plan, edge)}" for edge in plan.inputs[op.id]]
    return lines


def starts_branch(plan: Plan, chain: Chain, position: int) -> bool:
    """Whether an operator of a chain takes other records than all results of the one shown before it."""
    before, edge = chain.operators[position - 1], plan.inputs[chain.operators[position].id][0]
    return edge.source != before.id or edge.tag is not None


def _arrival(plan: Plan, edge: Edge) -> str:
    source = plan.operators[edge.source]
    side = "" if edge.tag is None else f", side output '{edge.tag.tag_id}'"
    return f"{edge.partitioner.name} from #{source.id} {_cut(source.name, 48)}{side}"


def _cut(name: str, limit: int) -> str:
    return name if len(name) <= limit else name[: limit - 1] + "…"


def to_json(plan: Plan) -> str:
    """The plan in the JSON shape of Flink's ``getExecutionPlan()``.

    See https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/ (execution plans). Two inputs of
    one operator are distinguished by `side`, as Flink's plan visualiser expects.
    """
    return json.dumps({"nodes": [_node(plan, op) for op in plan.operators.values()]}, indent=2)


_PREFIXES = {Source.kind: "Source: ", Sink.kind: "Sink: "}


def _node(plan: Plan, op: Operator) -> dict[str, Any]:
    pact = PACTS.get(op.kind, "Operator")
    prefix = _PREFIXES.get(op.kind, "")
    title = prefix + op.name.removeprefix(prefix)
    node: dict[str, Any] = {
        "id": op.id,
        "type": title,
        "pact": pact,
        "contents": op.description or title,
        "parallelism": plan.subtasks[op.id],
    }
    inputs = plan.inputs[op.id]
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
