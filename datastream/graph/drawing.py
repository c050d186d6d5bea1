"""The plan as an SVG picture: levels from left to right, fused chains as one box, partitioners on the edges.

Levels already give the layering, so the layout is small: boxes stand in columns, an edge over several
columns passes through a waypoint in each, columns are ordered by the mean height of their neighbours, and
heights are relaxed until edges run as straight as the boxes allow.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree import ElementTree as Xml

from .chains import Chain
from .explain import counted, keeps, short_origin, starts_branch
from .job_graph import Edge
from .operators import Operator, Process, Reduce, Sink, Source, Union
from .plan import Plan

MARGIN, HEAD = 28.0, 96.0
PAD, BAND_PAD, SPACE = 14.0, 26.0, 26.0
ROW, NAME_LINE, LABEL = 28.0, 17.0, 20.0
STIFF, BAND_GAP = 8.0, 8.0
NAME_CHARS, NAME_LINES = 34, 3
SANS = "Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
MONO = "'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

INK, MUTED, LINE, PAPER = "#1f2937", "#6b7280", "#94a3b8", "#ffffff"
BANDS = ("#f4f6fb", "#eef3f1")
COLOURS = {
    Source.kind: "#2563eb",
    Sink.kind: "#b45309",
    Reduce.kind: "#7c3aed",
    Process.kind: "#7c3aed",
    Union.kind: "#64748b",
}
OPERATOR_COLOUR = "#0f766e"
EXCHANGE = "#be185d"


@dataclass
class _Box:
    """A chain, or a waypoint of a long edge when `chain` is None."""

    column: int
    level: int
    width: float = 0.0
    height: float = 0.0
    x: float = 0.0
    y: float = 0.0
    chain: Chain | None = None
    before: list[_Box] = field(default_factory=list)
    after: list[_Box] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True)
class _Route:
    edge: Edge
    path: tuple[_Box, ...]
    text: str


def to_svg(plan: Plan) -> str:
    """Draw the plan. The result is a whole SVG document that needs nothing else."""
    graph = plan.graph
    columns, routes = _columns(plan)
    _order(columns)
    _stack(columns)
    right = _spread(columns, routes)
    bottom = max((b.y + b.height for column in columns for b in column), default=HEAD) + BAND_PAD
    subtitle = (
        f"{'batch' if graph.batch else 'streaming'}  ·  parallelism {graph.parallelism}  ·  "
        f"{counted(graph.max_parallelism, 'key group')}  ·  {counted(len(graph.operators), 'operator')}"
    )
    heading = max(_wide(graph.name, 20, bold=True), _wide(subtitle, 13))
    width = max(right + BAND_PAD + MARGIN, heading + 2 * MARGIN)
    height = bottom + MARGIN
    svg = Xml.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_n(width)} {_n(height)}",
        width=_n(width),
        height=_n(height),
    )
    svg.set("font-family", SANS)
    Xml.SubElement(svg, "title").text = f"Plan of {graph.name}"
    _rect(svg, 0, 0, width, height, PAPER)
    _text(svg, MARGIN, MARGIN + 14, graph.name, 20, INK, weight="600")
    _text(svg, MARGIN, MARGIN + 36, subtitle, 13, MUTED)
    _bands(svg, plan, columns, bottom)
    taken: list[tuple[float, float, float, float]] = []
    labels = Xml.Element("g")
    for route in routes:
        _edge(svg, labels, route, taken)
    for column in columns:
        for box in column:
            if box.chain is not None:
                _box(svg, plan, box, box.chain)
    svg.append(labels)
    Xml.indent(svg)
    return Xml.tostring(svg, encoding="unicode") + "\n"


# layout


def _columns(plan: Plan) -> tuple[list[list[_Box]], list[_Route]]:
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
    columns: list[list[_Box]] = [[] for _ in of_column]
    boxes: list[_Box] = []
    for i, chain in enumerate(lines):
        stage = level[chain.head.id]
        box = _Box(first[stage] + rank[i], stage, *_size(plan, chain), chain=chain)
        boxes.append(box)
        columns[box.column].append(box)
    routes: list[_Route] = []
    for edge in between:
        start, end = boxes[home[edge.source]], boxes[home[edge.target]]
        path = [start]
        for column in range(start.column + 1, end.column):
            path.append(_Box(column, of_column[column], height=LABEL))
            columns[column].append(path[-1])
        path.append(end)
        for a, b in pairwise(path):
            a.after.append(b)
            b.before.append(a)
        tag = "" if edge.tag is None else f" · {edge.tag.tag_id}"
        routes.append(_Route(edge, tuple(path), f"{edge.partitioner.name}{tag}"))
    return columns, routes


def _order(columns: list[list[_Box]]) -> None:
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


def _stack(columns: list[list[_Box]]) -> None:
    """Heights: start from stacks, then pull every box towards its neighbours and push overlaps apart."""
    for column in columns:
        _settle(column)
    for sweep in range(40):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            for box in column:
                _pull(box, box.before + box.after)
            _settle(column)
    for column in columns:
        for box in column:
            if not box.after:
                _pull(box, box.before)
        _settle(column)
    top = min((b.y for column in columns for b in column), default=0.0)
    for column in columns:
        for box in column:
            box.y += HEAD + BAND_PAD + 22 - top


def _pull(box: _Box, near: list[_Box]) -> None:
    """Move a box to the mean height of its neighbours; waypoints hold on to waypoints, for straight lines."""
    if near:
        weights = [STIFF if b.chain is None and box.chain is None else 1.0 for b in near]
        box.y = sum(w * b.middle for w, b in zip(weights, near, strict=True)) / sum(weights) - box.height / 2


def _settle(column: list[_Box]) -> None:
    """Remove overlaps while keeping the order and, as a whole, the place."""
    if not column:
        return
    wanted = sum(b.middle for b in column)
    for above, box in pairwise(column):
        box.y = max(box.y, above.y + above.height + SPACE)
    shift = (sum(b.middle for b in column) - wanted) / len(column)
    for box in column:
        box.y -= shift


def _spread(columns: list[list[_Box]], routes: list[_Route]) -> float:
    """Put columns beside each other, with room for the labels between them. Returns the right edge."""
    room = [56.0] * len(columns)
    for route in routes:
        start = route.path[0].column
        room[start] = max(room[start], _wide(route.text, 12) + 74)
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
        max(_row_width(plan, op, _detail(plan, chain, i)) for i, op in enumerate(chain.operators)) + 2 * PAD, 150.0
    )
    return width, sum(_row_height(op) for op in chain.operators)


def _row_width(plan: Plan, op: Operator, detail: str) -> float:
    badge = _wide(op.kind, 10.5) + 14
    width = max(
        max(_wide(line, 14, bold=True) for line in _name(op)),
        _mono(detail, 10.5),
        badge + _wide(keeps(op) or "", 11) + 16 + _wide(f"×{plan.subtasks[op.id]}", 11),
    )
    return width + 4


def _row_height(op: Operator) -> float:
    return ROW + NAME_LINE * len(_name(op)) + 16 + 12


# drawing


def _bands(svg: Xml.Element, plan: Plan, columns: list[list[_Box]], bottom: float) -> None:
    spans: list[tuple[float, float]] = []
    for stage in plan.levels:
        members = [b for column in columns for b in column if b.level == stage.index]
        spans.append((min(b.x for b in members), max(b.x + b.width for b in members)))
    for stage, (left, right) in zip(plan.levels, spans, strict=True):
        left -= BAND_PAD
        right += BAND_PAD
        if stage.index > 0:
            left = (spans[stage.index - 1][1] + spans[stage.index][0] + BAND_GAP) / 2
        if stage.index + 1 < len(spans):
            right = (spans[stage.index][1] + spans[stage.index + 1][0] - BAND_GAP) / 2
        _rect(svg, left, HEAD, right - left, bottom - HEAD, BANDS[stage.index % 2], radius=12)
        title = f"level {stage.index}" + ("  ·  state by key" if stage.keyed else "")
        if _wide(title, 12, bold=True) > right - left - 2 * PAD:
            title = f"level {stage.index}"
        _text(svg, left + PAD, HEAD + 22, title, 12, MUTED, weight="600")


def _edge(
    svg: Xml.Element,
    labels: Xml.Element,
    route: _Route,
    taken: list[tuple[float, float, float, float]],
) -> None:
    exchange = route.edge.partitioner.exchanges
    colour = EXCHANGE if exchange else LINE
    start, end = route.path[0], route.path[-1]
    points = [(start.x + start.width, _port(start, start.after, route.path[1]))]
    for waypoint in route.path[1:-1]:
        points += [(waypoint.x, waypoint.middle), (waypoint.x + waypoint.width, waypoint.middle)]
    points.append((end.x - 7, _port(end, end.before, route.path[-2])))
    data = f"M{_n(points[0][0])},{_n(points[0][1])}"
    curves: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for number, (a, b) in enumerate(pairwise(points)):
        if number % 2 == 0:
            bend = (b[0] - a[0]) * 0.45
            data += f" C{_n(a[0] + bend)},{_n(a[1])} {_n(b[0] - bend)},{_n(b[1])} {_n(b[0])},{_n(b[1])}"
            curves.append((a, b))
        else:
            data += f" L{_n(b[0])},{_n(b[1])}"
    line = Xml.SubElement(svg, "path", d=data, fill="none", stroke=colour)
    line.set("stroke-width", "1.8" if exchange else "1.5")
    if route.edge.tag is not None:
        line.set("stroke-dasharray", "5 4")
    x, y = points[-1]
    tip = f"M{_n(x - 2)},{_n(y - 5)} L{_n(x + 7)},{_n(y)} L{_n(x - 2)},{_n(y + 5)} Z"
    Xml.SubElement(svg, "path", d=tip, fill=colour)
    _label(labels, route.text, curves[0], colour if exchange else MUTED, taken)


def _label(
    labels: Xml.Element,
    text: str,
    curve: tuple[tuple[float, float], tuple[float, float]],
    colour: str,
    taken: list[tuple[float, float, float, float]],
) -> None:
    """Put the text on its edge, at the first place along it where no other text stands."""
    width = _wide(text, 12) + 16
    spots = [_on(curve, t) for t in (0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75)]
    areas = [(x - width / 2, y - LABEL / 2, x + width / 2, y + LABEL / 2) for x, y in spots]
    free = [a for a in areas if not any(_meet(a, b) for b in taken)]
    left, top, right, bottom = area = (free or areas)[0]
    taken.append(area)
    pill = _rect(labels, left, top, right - left, bottom - top, PAPER, radius=LABEL / 2)
    pill.set("stroke", colour)
    pill.set("stroke-opacity", "0.45")
    _text(labels, (left + right) / 2, top + 14, text, 12, colour, anchor="middle")


def _box(svg: Xml.Element, plan: Plan, box: _Box, chain: Chain) -> None:
    group = Xml.SubElement(svg, "g")
    _rect(group, box.x + 1, box.y + 2.5, box.width, box.height, "#0f172a", radius=9).set("opacity", "0.07")
    frame = _rect(group, box.x, box.y, box.width, box.height, PAPER, radius=9)
    frame.set("stroke", "#cbd5e1")
    y = box.y
    for i, op in enumerate(chain.operators):
        if i:
            rule = Xml.SubElement(group, "path", d=f"M{_n(box.x)},{_n(y)} h{_n(box.width)}", stroke="#e2e8f0")
            rule.set("stroke-width", "1")
        _row(group, plan, op, _detail(plan, chain, i), box.x, y, box.width)
        y += _row_height(op)


def _row(group: Xml.Element, plan: Plan, op: Operator, detail: str, x: float, y: float, width: float) -> None:
    row = Xml.SubElement(group, "g")
    lines = [op.name, op.description or "", f"uid {op.state_uid}", str(op.origin or "")]
    Xml.SubElement(row, "title").text = "\n".join(line for line in lines if line)
    colour = COLOURS.get(op.kind, OPERATOR_COLOUR)
    badge = _wide(op.kind, 10.5) + 14
    _rect(row, x + PAD, y + 10, badge, 16, colour, radius=8).set("fill-opacity", "0.12")
    _text(row, x + PAD + badge / 2, y + 21.7, op.kind, 10.5, colour, weight="600", anchor="middle")
    state = keeps(op)
    if state:
        _text(row, x + PAD + badge + 8, y + 22, state, 11, colour)
    _text(row, x + width - PAD, y + 22, f"×{plan.subtasks[op.id]}", 11, MUTED, anchor="end")
    line = y + ROW
    for part in _name(op):
        line += NAME_LINE
        _text(row, x + PAD, line - 3, part, 14, INK, weight="600")
    _text(row, x + PAD, line + 13, detail, 10.5, MUTED, family=MONO)


# texts


def _name(op: Operator) -> list[str]:
    """The operator's name in lines that fit a box."""
    parts = textwrap.wrap(op.name, NAME_CHARS) or [op.kind]
    if len(parts) > NAME_LINES:
        parts = [*parts[: NAME_LINES - 1], parts[NAME_LINES - 1][: NAME_CHARS - 1] + "…"]
    return parts


def _detail(plan: Plan, chain: Chain, position: int) -> str:
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


def _wide(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is in a common sans-serif font, in pixels, rather too wide than too narrow."""
    em = sum(
        0.36 if c in "iljtfrI.,:;'|!()[]- " else 0.92 if c in "mwMW@%…" else 0.72 if c.isupper() else 0.6 for c in text
    )
    return em * size * (1.15 if bold else 1.0) + 2


def _mono(text: str, size: float) -> float:
    return len(text) * size * 0.61


def _text(
    parent: Xml.Element,
    x: float,
    y: float,
    text: str,
    size: float,
    colour: str,
    *,
    weight: str | None = None,
    anchor: str | None = None,
    family: str | None = None,
) -> None:
    node = Xml.SubElement(parent, "text", x=_n(x), y=_n(y), fill=colour)
    node.set("font-size", _n(size))
    for key, value in (("font-weight", weight), ("text-anchor", anchor), ("font-family", family)):
        if value is not None:
            node.set(key, value)
    node.text = "".join(c if c.isprintable() else " " for c in text)


# geometry


def _rect(
    parent: Xml.Element, x: float, y: float, width: float, height: float, fill: str, radius: float = 0
) -> Xml.Element:
    return Xml.SubElement(
        parent, "rect", x=_n(x), y=_n(y), width=_n(width), height=_n(height), rx=_n(radius), fill=fill
    )


def _port(box: _Box, others: Iterable[_Box], to: _Box) -> float:
    """Where on a box's side the edge to one of its neighbours docks: in the neighbours' own order."""
    near = sorted(others, key=lambda b: b.middle)
    step = min(20.0, box.height / (len(near) + 1))
    place = next(i for i, b in enumerate(near) if b is to)
    return box.middle + (place - (len(near) - 1) / 2) * step


def _on(curve: tuple[tuple[float, float], tuple[float, float]], t: float) -> tuple[float, float]:
    """A point of the edge's curve."""
    (ax, ay), (bx, by) = curve
    bend = (bx - ax) * 0.45
    xs, ys = (ax, ax + bend, bx - bend, bx), (ay, ay, by, by)
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x = sum(w * v for w, v in zip(weights, xs, strict=True))
    y = sum(w * v for w, v in zip(weights, ys, strict=True))
    return x, y


def _meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] + 2 and b[1] < a[3] + 2


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
