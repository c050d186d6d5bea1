"""The plan and its drawing as data, for who draws it: a page that shows a running job, for one."""

from __future__ import annotations

from typing import Any

from .bands import bands
from .explain import keeps, short_origin
from .layout import BAND_PAD, HEAD, MARGIN, Box, Route, layout, name_lines, row_height
from .operators import Operator
from .plan import Plan
from .routes import points


def plan_data(plan: Plan) -> dict[str, Any]:
    """Operators, and where a drawing has them, ready for JSON.

    Lengths are in pixels, and the top left corner of the first level's band is 0, 0. An edge's points are joined by
    curves and straight lines in turns, a curve first. Edges inside of a chain have none.
    """
    graph = plan.graph
    return {
        "name": graph.name,
        "batch": graph.batch,
        "parallelism": graph.parallelism,
        "max_parallelism": graph.max_parallelism,
        "nodes": _nodes(plan),
        "layout": _layout(plan),
    }


def _nodes(plan: Plan) -> list[dict[str, Any]]:
    chain_of = {op.id: chain.head.id for chain in plan.chains for op in chain.operators}
    return [_node(plan, op, chain_of[op.id]) for op in plan.operators.values()]


def _node(plan: Plan, op: Operator, chain: int) -> dict[str, Any]:
    return {
        "id": op.id,
        "uid": op.state_uid,
        "name": op.name,
        "kind": op.kind,
        "parallelism": plan.subtasks[op.id],
        "level": plan.level_of[op.id],
        "chain": chain,
        "keeps": keeps(op),
        "origin": short_origin(op.origin) or None,
        "predecessors": [
            {
                "id": edge.source,
                "ship_strategy": edge.partitioner.name.upper(),
                "side_output": None if edge.tag is None else edge.tag.tag_id,
            }
            for edge in plan.inputs[op.id]
        ],
    }


def _layout(plan: Plan) -> dict[str, Any]:
    placed = layout(plan)
    boxes = [box for column in placed.columns for box in column if box.chain is not None]
    return {
        "width": _round(placed.right + BAND_PAD - MARGIN),
        "height": _round(placed.bottom + BAND_PAD - HEAD),
        "levels": [
            {"level": band.level, "x": _x(band.left), "width": _round(band.right - band.left), "title": band.title}
            for band in bands(plan, placed)
        ],
        "chains": [_chain(box) for box in sorted(boxes, key=lambda box: box.chain.head.id if box.chain else 0)],
        "edges": [_edge(route) for route in placed.routes],
    }


def _chain(box: Box) -> dict[str, Any]:
    assert box.chain is not None
    operators = []
    y = box.y
    for op in box.chain.operators:
        operators.append({"id": op.id, "y": _y(y), "height": row_height(op), "lines": name_lines(op)})
        y += row_height(op)
    return {
        "id": box.chain.head.id,
        "x": _x(box.x),
        "y": _y(box.y),
        "width": _round(box.width),
        "height": _round(box.height),
        "level": box.level,
        "operators": operators,
    }


def _edge(route: Route) -> dict[str, Any]:
    edge = route.edge
    tag = "" if edge.tag is None else f" · {edge.tag.tag_id}"
    return {
        "source": edge.source,
        "target": edge.target,
        "label": f"{edge.partitioner.name.upper()}{tag}",
        "exchange": edge.partitioner.exchanges,
        "points": [[_x(x), _y(y)] for x, y in points(route)],
    }


def _x(x: float) -> float:
    return _round(x - MARGIN)


def _y(y: float) -> float:
    return _round(y - HEAD)


def _round(length: float) -> float:
    return round(length, 1)
