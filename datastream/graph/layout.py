"""Where the parts of a drawn plan stand: chains as boxes in columns, edges as routes between them.

Levels already give the layering, so the layout is small: boxes stand in columns, an edge over several
columns passes through a waypoint in each, columns are ordered by the mean height of their neighbours, and
heights are relaxed until edges run as straight as the boxes allow.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from itertools import pairwise

from .chains import Chain
from .explain import keeps, short_origin, starts_branch
from .job_graph import Edge
from .operators import Operator
from .plan import Plan

MARGIN, HEAD = 28.0, 96.0
PAD, BAND_PAD, SPACE = 14.0, 26.0, 26.0
ROW, NAME_LINE, LABEL = 28.0, 17.0, 20.0
STIFF, BAND_GAP = 8.0, 8.0
NAME_CHARS, NAME_LINES = 34, 3


@dataclass
class Box:
    """A chain, or a waypoint of a long edge when `chain` is None."""

    column: int
    level: int
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0
    chain: Chain | None = None
    before: list[Box] = field(default_factory=list)
    after: list[Box] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True)
class Route:
    edge: Edge
    path: tuple[Box, ...]
    text: str


@dataclass(frozen=True)
class Layout:
    """A plan laid out.

    Attributes:
        columns: Boxes and waypoints, from left to right.
        routes: The edges between chains.
        right: Where the last column ends.
        bottom: Where the lowest box ends.
    """

    columns: list[list[Box]]
    routes: list[Route]
    right: float
    bottom: float


def layout(plan: Plan) -> Layout:
    """Lay a plan out, in pixels."""
    columns, routes = _columns(plan)
    _order(columns)
    _stack(columns)
    right = _place_columns(columns, routes)
    bottom = max((b.y + b.height for column in columns for b in column), default=HEAD)
    return Layout(columns, routes, right, bottom)


def _columns(plan: Plan) -> tuple[list[list[Box]], list[Route]]:
    """Boxes and waypoints by column, and the way of every edge between chains."""
    lines = plan.chains
    home = {op.id: i for i, chain in enumerate(lines) for op in chain.operators}
    between = [e for e in plan.edges.values() if home[e.source] != home[e.target]]
    level = plan.level_of
    rank: dict[int, int] = {}
    for op in plan.operators.values():
        arrivals = [e for e in plan.inputs[op.id] if e in between]
        near = [rank[home[e.source]] + 1 for e in arrivals if level[e.source] == level[op.id]]
        rank[home[op.id]] = max([rank.get(home[op.id], 0), *near])
    depth = [
        1 + max((rank[i] for i, c in enumerate(lines) if level[c.head.id] == n), default=0)
        for n in range(len(plan.levels))
    ]
    first = [sum(depth[:n]) for n in range(len(depth))]
    of_column = [n for n, count in enumerate(depth) for _ in range(count)]
    columns: list[list[Box]] = [[] for _ in of_column]
    boxes: list[Box] = []
    for i, chain in enumerate(lines):
        stage = level[chain.head.id]
        box = Box(first[stage] + rank[i], stage, *_size(plan, chain), chain=chain)
        boxes.append(box)
        columns[box.column].append(box)
    routes: list[Route] = []
    for edge in between:
        start, end = boxes[home[edge.source]], boxes[home[edge.target]]
        path = [start]
        for column in range(start.column + 1, end.column):
            path.append(Box(column, of_column[column], height=LABEL))
            columns[column].append(path[-1])
        path.append(end)
        for a, b in pairwise(path):
            a.after.append(b)
            b.before.append(a)
        tag = "" if edge.tag is None else f" · {edge.tag.tag_id}"
        routes.append(Route(edge, tuple(path), f"{edge.partitioner.name}{tag}"))
    return columns, routes


def _order(columns: list[list[Box]]) -> None:
    """Reorder each column by the mean position of its neighbours, to and fro, against crossings."""
    for sweep in range(8):
        forward = sweep % 2 == 0
        place = {id(b): i for column in columns for i, b in enumerate(column)}
        for column in columns if forward else reversed(columns):
            keys: dict[int, float] = {}
            for i, box in enumerate(column):
                near = box.before if forward else box.after
                keys[id(box)] = sum(place[id(b)] for b in near) / len(near) if near else float(i)
            column.sort(key=lambda b: keys[id(b)])
            place.update({id(b): i for i, b in enumerate(column)})


def _stack(columns: list[list[Box]]) -> None:
    """Heights: start from stacks, then pull every box towards its neighbours and push overlaps apart."""
    for column in columns:
        _separate(column)
    for sweep in range(40):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            for box in column:
                _pull(box, box.before + box.after)
            _separate(column)
    for column in columns:
        for box in column:
            if not box.after:
                _pull(box, box.before)
        _separate(column)
    top = min((b.y for column in columns for b in column), default=0.0)
    for column in columns:
        for box in column:
            box.y += HEAD + BAND_PAD + 22 - top


def _pull(box: Box, near: list[Box]) -> None:
    """Move a box to the mean height of its neighbours; waypoints hold on to waypoints, for straight lines."""
    if near:
        weights = [STIFF if b.chain is None and box.chain is None else 1.0 for b in near]
        box.y = sum(w * b.middle for w, b in zip(weights, near, strict=True)) / sum(weights) - box.height / 2


def _separate(column: list[Box]) -> None:
    """Remove overlaps while keeping the order and, as a whole, the place."""
    if not column:
        return
    wanted = sum(b.middle for b in column)
    for above, box in pairwise(column):
        box.y = max(box.y, above.y + above.height + SPACE)
    shift = (sum(b.middle for b in column) - wanted) / len(column)
    for box in column:
        box.y -= shift


def _place_columns(columns: list[list[Box]], routes: list[Route]) -> float:
    """Put columns beside each other, with room for the labels between them. Returns the right edge."""
    room = [56.0] * len(columns)
    for route in routes:
        start = route.path[0].column
        room[start] = max(room[start], text_width(route.text, 12) + 74)
    for number, (column, following) in enumerate(pairwise(columns)):
        if column and following and column[0].level != following[0].level:
            room[number] = max(room[number], 2 * BAND_PAD + BAND_GAP)
    x = MARGIN + BAND_PAD
    right = x
    for number, column in enumerate(columns):
        widest = max((b.width for b in column), default=0.0)
        for box in column:
            box.x, box.width = x, widest
        right = x + widest
        x = right + room[number]
    return right


def _size(plan: Plan, chain: Chain) -> tuple[float, float]:
    width = max(
        max(_row_width(plan, op, detail(plan, chain, i)) for i, op in enumerate(chain.operators)) + 2 * PAD, 150.0
    )
    return width, sum(row_height(op) for op in chain.operators)


def _row_width(plan: Plan, op: Operator, note: str) -> float:
    badge = text_width(op.kind, 10.5) + 14
    width = max(
        max(text_width(line, 14, bold=True) for line in name_lines(op)),
        _mono(note, 10.5),
        badge + text_width(keeps(op) or "", 11) + 16 + text_width(f"×{plan.subtasks[op.id]}", 11),
    )
    return width + 4


def row_height(op: Operator) -> float:
    return ROW + NAME_LINE * len(name_lines(op)) + 16 + 12


def name_lines(op: Operator) -> list[str]:
    """The operator's name in lines that fit a box."""
    parts = textwrap.wrap(op.name, NAME_CHARS) or [op.kind]
    if len(parts) > NAME_LINES:
        parts = [*parts[: NAME_LINES - 1], parts[NAME_LINES - 1][: NAME_CHARS - 1] + "…"]
    return parts


def detail(plan: Plan, chain: Chain, position: int) -> str:
    """The small print of an operator: its uid, where it was made, and what it reads where a branch starts."""
    op = chain.operators[position]
    parts = [_cut(op.state_uid), short_origin(op.origin)]
    if position > 0 and starts_branch(plan, chain, position):
        edge = plan.inputs[op.id][0]
        side = "" if edge.tag is None else f", {_cut(edge.tag.tag_id)}"
        parts.append(f"from {_cut(plan.operators[edge.source].name)}{side}")
    return " · ".join(part for part in parts if part)


def _cut(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is in a common sans-serif font, in pixels, rather too wide than too narrow."""
    em = sum(
        0.36 if c in "iljtfrI.,:;'|!()[]- " else 0.92 if c in "mwMW@%…" else 0.72 if c.isupper() else 0.6 for c in text
    )
    return em * size * (1.15 if bold else 1.0) + 2


def _mono(text: str, size: float) -> float:
    return len(text) * size * 0.61
