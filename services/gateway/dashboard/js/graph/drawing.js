/** The job's plan as SVG: levels as bands, chains as boxes with their operators, edges with their partitioners. */

import { s } from "../dom.js";

const PAD = 14;
const KINDS = { source: "source", sink: "sink", reduce: "keyed", window: "keyed", keyed_process: "keyed", process: "keyed" };

/**
 * Draws a plan. Returns `{svg, operators, chosen}`: by uid what of an operator changes while the job runs.
 * `open(uid)` is called on a click, Enter or Space; null: the operators are no buttons.
 */
export function draw_plan(plan, open) {
  const { layout } = plan;
  const nodes = new Map(plan.nodes.map((node) => [node.id, node]));
  const right = Math.max(layout.width, ...layout.chains.map((chain) => chain.x + chain.width + 20));
  const bottom = Math.max(...layout.chains.map((chain) => chain.y + chain.height), 80) + 30;
  const top = Math.min(...layout.chains.map((chain) => chain.y), layout.height) - 52;
  const operators = new Map();
  const box = { x: 0, y: top, width: right, height: Math.max(bottom - top, 60) };
  const svg = s(
    "svg.plan",
    { role: "group", "aria-label": `Graph of the job ${plan.name}`, viewBox: `0 ${top} ${right} ${box.height}` },
    s("defs", hatch(), tip("tip", "tip-plain"), tip("tip-exchange", "tip-exchange")),
    s("g.bands", { "aria-hidden": "true" }, layout.levels.map((level) => band(level, top, bottom))),
    s("g.edges", { "aria-hidden": "true" }, layout.edges.map((edge) => line(edge))),
    s("g.chains", layout.chains.map((chain) => chain_box(chain, nodes, operators, open))),
    s("g.labels", { "aria-hidden": "true" }, labels(layout.edges, layout.chains)),
  );
  return { svg, operators, box };
}

/** High back-pressure is striped, too: not by colour alone. */
const hatch = () =>
  s(
    "pattern",
    { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect.hatch-paper", { width: 6, height: 6 }),
    s("rect.hatch-line", { width: 3, height: 6 }),
  );

const tip = (id, name) =>
  s("marker", { id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, s(`path.${name}`, { d: "M0 0L10 5L0 10z" }));

function band(level, top, bottom) {
  return s(
    "g",
    s(`rect.band.${level.level % 2 ? "odd" : "even"}`, { x: level.x, y: top, width: level.width, height: bottom - top, rx: 12 }),
    s("text.band-title", { x: level.x + PAD, y: top + 24 }, level.title),
  );
}

/** Points are the ends of curves and, between them, of straight pieces past boxes. */
function curve(points) {
  let d = `M${points[0]}`;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    const bend = (b[0] - a[0]) * 0.45;
    d += i % 2 ? ` C${a[0] + bend},${a[1]} ${b[0] - bend},${b[1]} ${b[0]},${b[1]}` : ` L${b}`;
  }
  return d;
}

function line(edge) {
  const points = edge.points.map((point) => [...point]);
  points[points.length - 1][0] -= 2;
  return s(`path.edge${edge.exchange ? ".exchange" : ""}`, { d: curve(points), "marker-end": edge.exchange ? "url(#tip-exchange)" : "url(#tip)" });
}

/** Labels on their edges, exchanges first, each at the first place along it where no other label and no box stands. */
function labels(edges, chains) {
  const taken = chains.map((chain) => [chain.x, chain.y, chain.x + chain.width, chain.y + chain.height]);
  const free = (p) => !taken.some((q) => p[0] < q[2] && q[0] < p[2] && p[1] < q[3] + 2 && q[1] < p[3] + 2);
  const telling = (edge) => edge.exchange || edge.label.toLowerCase() !== "forward";
  return [...edges.filter(telling), ...edges.filter((edge) => !telling(edge))].map((edge) => {
    const text = edge.label.toLowerCase();
    const width = text.length * 6.6 + 16;
    const spots = places(edge.points).map(([x, y]) => [x - width / 2, y - 10, x + width / 2, y + 10]);
    const area = spots.find(free) ?? (telling(edge) ? spots[0] : null);
    if (!area) return null;
    taken.push(area);
    return s(
      `g.edge-label${edge.exchange ? ".exchange" : ""}`,
      s("rect", { x: area[0], y: area[1], width, height: 20, rx: 10 }),
      s("text", { x: area[0] + width / 2, y: area[1] + 14 }, text),
    );
  });
}

/** Points along an edge's curves, best first. */
function places(points) {
  const found = [];
  for (let i = 1; i < points.length; i += 2) {
    const [a, b] = [points[i - 1], points[i]];
    const bend = (b[0] - a[0]) * 0.45;
    for (const t of [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78]) {
      const u = 1 - t;
      const x = u ** 3 * a[0] + 3 * u * u * t * (a[0] + bend) + 3 * u * t * t * (b[0] - bend) + t ** 3 * b[0];
      found.push([x, (u ** 3 + 3 * u * u * t) * a[1] + (3 * u * t * t + t ** 3) * b[1]]);
    }
  }
  return found;
}

function chain_box(chain, nodes, operators, open) {
  // Heights of operators count from the picture's top, or from the box's.
  const first = chain.operators[0]?.y ?? 0;
  const shift = first >= chain.y - 1 ? 0 : chain.y;
  const clip = `chain-${chain.id}`;
  return s(
    "g.chain",
    s("clipPath", { id: clip }, s("rect", { x: chain.x, y: chain.y, width: chain.width, height: chain.height, rx: 9 })),
    s("rect.chain-shade", { x: chain.x + 1, y: chain.y + 2, width: chain.width, height: chain.height, rx: 9 }),
    s("rect.chain-box", { x: chain.x, y: chain.y, width: chain.width, height: chain.height, rx: 9 }),
    s("g", { "clip-path": `url(#${clip})` }, chain.operators.map((operator, i) => cell(chain, operator, operator.y + shift, nodes.get(operator.id), operators, open, i))),
    s("rect.chain-edge", { x: chain.x, y: chain.y, width: chain.width, height: chain.height, rx: 9 }),
  );
}

function cell(chain, operator, y, node, operators, open, position) {
  const { x, width } = chain;
  const { height } = operator;
  const kind = KINDS[node.kind] ?? "other";
  const badge = node.kind.replaceAll("_", " ");
  const badge_width = badge.length * 6.5 + 16;
  const pressure = s("rect.pressure", { x, y, width: 5, height });
  const busy = s("rect.busy-fill", { x: x + PAD, y: y + height - 12, width: 0, height: 5, rx: 2.5 });
  const rates = s("text.rates", { x: x + PAD, y: y + 28 + 17 * operator.lines.length + 10 });
  const percent = s("text.percent", { x: x + width - PAD, y: y + 28 + 17 * operator.lines.length + 10 });
  const flag = s("text.flag", { x: x + width - PAD - 26, y: y + 22 });
  const group = s(
    "g.operator",
    open && {
      tabindex: "0",
      role: "button",
      onclick: () => open(node.uid),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        open(node.uid);
      },
    },
    s("rect.cell", { x, y, width, height }),
    position ? s("path.rule", { d: `M${x},${y}h${width}` }) : null,
    pressure,
    s(`g.kind.${kind}`, s("rect", { x: x + PAD, y: y + 10, width: badge_width, height: 16, rx: 8 }), s("text", { x: x + PAD + badge_width / 2, y: y + 21.6 }, badge)),
    s("text.times", { x: x + width - PAD, y: y + 22 }, `×${node.parallelism}`),
    flag,
    operator.lines.map((text, i) => s("text.name", { x: x + PAD, y: y + 28 + 17 * (i + 1) - 3 }, text)),
    rates,
    percent,
    open && s("rect.busy", { x: x + PAD, y: y + height - 12, width: width - 2 * PAD, height: 5, rx: 2.5 }),
    busy,
    s("rect.focus", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 7 }),
  );
  group.setAttribute("aria-label", node.name);
  operators.set(node.uid, { node, group, pressure, busy, rates, percent, flag, room: width - 2 * PAD });
  return group;
}
