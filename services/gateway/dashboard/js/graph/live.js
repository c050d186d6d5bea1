/** What changes on a drawn operator while the job runs. */

import { rate, share, short } from "../format.js";

/** Back-pressure in words, by Flink's limits. */
export const pressure_of = (value) => (value === null || value === undefined || value <= 0.1 ? "ok" : value <= 0.5 ? "low" : "high");

export function show_figures(drawn, operators, bottleneck, chosen) {
  for (const [uid, parts] of drawn.operators) {
    const now = operators[uid];
    const hottest = bottleneck?.operator === uid;
    parts.group.classList.toggle("hottest", hottest);
    parts.group.classList.toggle("chosen", chosen === uid);
    if (!now) continue;
    const level = pressure_of(now.backpressure);
    const busy = now.busy_max ?? now.busy;
    parts.pressure.setAttribute("class", `pressure ${level}`);
    parts.busy.setAttribute("width", ((busy ?? 0) * parts.room).toFixed(1));
    parts.busy.setAttribute("class", `busy-fill${hottest ? " hot" : ""}`);
    text(parts.rates, rates_of(parts.node, now, parts.room));
    text(parts.percent, busy === null || busy === undefined ? "" : `${share(busy)} busy`);
    text(parts.flag, hottest ? "▲ hottest" : level === "ok" ? "" : `◂ BP ${share(now.backpressure)}`);
    parts.group.setAttribute("aria-label", spoken(parts.node, now, level, hottest));
  }
}

function rates_of(node, now, room) {
  const into = node.predecessors.length ? `↓ ${short(now.records_in_s)}/s` : "";
  const out = node.kind === "sink" ? "" : `↑ ${short(now.records_out_s)}/s`;
  const both = [into, out].filter(Boolean).join("  ");
  return both.length * 6 > room - 60 ? out || into : both;
}

function spoken(node, now, level, hottest) {
  const parts = [`${node.name}, ${node.kind.replaceAll("_", " ")}`];
  if (node.predecessors.length) parts.push(`${rate(now.records_in_s)} in`);
  if (node.kind !== "sink") parts.push(`${rate(now.records_out_s)} out`);
  parts.push(`${share(now.busy_max ?? now.busy)} busy`);
  if (level !== "ok") parts.push(`back-pressure ${level}`);
  if (hottest) parts.push("hottest operator");
  return parts.join(", ");
}

function text(node, words) {
  if (node.textContent !== words) node.textContent = words;
}
