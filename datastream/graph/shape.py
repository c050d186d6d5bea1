"""What a job looks like to a checkpoint: what must stay the same, or is found again by its uid."""

from __future__ import annotations

from typing import Any

from xxhash import xxh3_64_hexdigest

from datastream.io.sources import kind_of

from .operators import Operator, Source
from .plan import Plan
from .state_forms import to_json

_LONG_PATH = 300


def describe(plan: Plan) -> dict[str, Any]:
    """What must stay the same for a job to go on from a checkpoint."""
    stateful = {
        op.state_uid: {
            "kind": op.kind,
            "level": plan.level_of[op.id],
            "parallelism": plan.subtasks[op.id],
            "max_parallelism": plan.key_groups[op.id],
            "forms": to_json(op.state_forms),
        }
        for op in plan.operators.values()
        if op.stateful
    }
    return {
        "version": 1,
        "tasks": plan.width,
        "levels": ["keyed" if level.stateful else "plain" for level in plan.levels],
        "sources": {op.state_uid: kind_of(op.source) for op in plan.sources},
        "sinks": {op.state_uid: type(op.sink).__name__ for op in plan.sinks},
        "state": stateful,
        "paths": {op.state_uid: _path(plan, op, {}) for op in plan.sinks if op.sink.consumed.needs_checkpoint},
        "batch": plan.graph.batch,
    }


def _path(plan: Plan, op: Operator, known: dict[int, str]) -> str:
    """By which sources and exchanges records come to an operator's subtasks.

    An epoch that was under way runs again in the new job, where each subtask must get the same records: sinks such as
    Kafka's know by subtask what they have committed.
    """
    if isinstance(op, Source):
        return f"{op.state_uid} x {plan.subtasks[op.id]}"
    if op.id not in known:
        ways = []
        for edge in plan.inputs[op.id]:
            way = _path(plan, plan.operators[edge.source], known)
            if edge.partitioner.exchanges:
                way = f"{way} > {edge.partitioner.name} x {plan.subtasks[op.id]}"
            ways.append(way)
        path = ways[0] if len(ways) == 1 else f"({', '.join(sorted(ways))})"
        # Paths that part and meet again would double the text each time.
        known[op.id] = path if len(path) <= _LONG_PATH else xxh3_64_hexdigest(path.encode())
    return known[op.id]
