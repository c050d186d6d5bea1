"""The plan as an SVG picture: levels from left to right, fused chains as one box, partitioners on the edges."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as Xml

from .bands import Band, bands
from .chains import Chain
from .explain import counted, keeps
from .layout import (
    BAND_PAD,
    HEAD,
    LABEL,
    MARGIN,
    NAME_LINE,
    PAD,
    ROW,
    Box,
    Route,
    detail,
    layout,
    name_lines,
    row_height,
    text_width,
)
from .operators import Operator, Process, Reduce, Sink, Source, Union
from .plan import Plan
from .routes import points

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


def to_svg(plan: Plan) -> str:
    """Draw the plan. The result is a whole SVG document that needs nothing else."""
    graph = plan.graph
    placed = layout(plan)
    bottom = placed.bottom + BAND_PAD
    subtitle = (
        f"{'batch' if graph.batch else 'streaming'}  ·  parallelism {graph.parallelism}  ·  "
        f"{counted(graph.max_parallelism, 'key group')}  ·  {counted(len(graph.operators), 'operator')}"
    )
    heading = max(text_width(graph.name, 20, bold=True), text_width(subtitle, 13))
    width = max(placed.right + BAND_PAD + MARGIN, heading + 2 * MARGIN)
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
    for band in bands(plan, placed):
        _band(svg, band, bottom)
    taken: list[tuple[float, float, float, float]] = []
    labels = Xml.Element("g")
    for route in placed.routes:
        _edge(svg, labels, route, taken)
    for column in placed.columns:
        for box in column:
            if box.chain is not None:
                _box(svg, plan, box, box.chain)
    svg.append(labels)
    Xml.indent(svg)
    return Xml.tostring(svg, encoding="unicode") + "\n"


def _band(svg: Xml.Element, band: Band, bottom: float) -> None:
    _rect(svg, band.left, HEAD, band.right - band.left, bottom - HEAD, BANDS[band.level % 2], radius=12)
    _text(svg, band.left + PAD, HEAD + 22, band.title, 12, MUTED, weight="600")


def _edge(
    svg: Xml.Element,
    labels: Xml.Element,
    route: Route,
    taken: list[tuple[float, float, float, float]],
) -> None:
    exchange = route.edge.partitioner.exchanges
    colour = EXCHANGE if exchange else LINE
    way = points(route)
    data = f"M{_n(way[0][0])},{_n(way[0][1])}"
    curves: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for number, (a, b) in enumerate(pairwise(way)):
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
    x, y = way[-1]
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
    width = text_width(text, 12) + 16
    spots = [_on(curve, t) for t in (0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75)]
    areas = [(x - width / 2, y - LABEL / 2, x + width / 2, y + LABEL / 2) for x, y in spots]
    free = [a for a in areas if not any(_meet(a, b) for b in taken)]
    left, top, right, bottom = area = (free or areas)[0]
    taken.append(area)
    pill = _rect(labels, left, top, right - left, bottom - top, PAPER, radius=LABEL / 2)
    pill.set("stroke", colour)
    pill.set("stroke-opacity", "0.45")
    _text(labels, (left + right) / 2, top + 14, text, 12, colour, anchor="middle")


def _box(svg: Xml.Element, plan: Plan, box: Box, chain: Chain) -> None:
    group = Xml.SubElement(svg, "g")
    _rect(group, box.x + 1, box.y + 2.5, box.width, box.height, "#0f172a", radius=9).set("opacity", "0.07")
    frame = _rect(group, box.x, box.y, box.width, box.height, PAPER, radius=9)
    frame.set("stroke", "#cbd5e1")
    y = box.y
    for i, op in enumerate(chain.operators):
        if i:
            rule = Xml.SubElement(group, "path", d=f"M{_n(box.x)},{_n(y)} h{_n(box.width)}", stroke="#e2e8f0")
            rule.set("stroke-width", "1")
        _row(group, plan, op, detail(plan, chain, i), box.x, y, box.width)
        y += row_height(op)


def _row(group: Xml.Element, plan: Plan, op: Operator, note: str, x: float, y: float, width: float) -> None:
    row = Xml.SubElement(group, "g")
    lines = [op.name, op.description or "", f"uid {op.state_uid}", str(op.origin or "")]
    Xml.SubElement(row, "title").text = "\n".join(line for line in lines if line)
    colour = COLOURS.get(op.kind, OPERATOR_COLOUR)
    badge = text_width(op.kind, 10.5) + 14
    _rect(row, x + PAD, y + 10, badge, 16, colour, radius=8).set("fill-opacity", "0.12")
    _text(row, x + PAD + badge / 2, y + 21.7, op.kind, 10.5, colour, weight="600", anchor="middle")
    state = keeps(op)
    if state:
        _text(row, x + PAD + badge + 8, y + 22, state, 11, colour)
    _text(row, x + width - PAD, y + 22, f"×{plan.subtasks[op.id]}", 11, MUTED, anchor="end")
    line = y + ROW
    for part in name_lines(op):
        line += NAME_LINE
        _text(row, x + PAD, line - 3, part, 14, INK, weight="600")
    _text(row, x + PAD, line + 13, note, 10.5, MUTED, family=MONO)


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


def _rect(
    parent: Xml.Element, x: float, y: float, width: float, height: float, fill: str, radius: float = 0
) -> Xml.Element:
    return Xml.SubElement(
        parent, "rect", x=_n(x), y=_n(y), width=_n(width), height=_n(height), rx=_n(radius), fill=fill
    )


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
