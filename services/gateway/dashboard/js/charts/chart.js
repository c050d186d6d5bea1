/** A chart of series over time with uPlot: axes with units, a cursor shared by all charts of the page. */

import uPlot from "../../vendor/uplot/uPlot.esm.js";
import { h, render } from "../dom.js";
import { clock, DASH } from "../format.js";
import { colour } from "../theme.js";

const HEIGHT = 190;
const SHARED = uPlot.sync("time");
const SERIES = 6;
const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/**
 * A chart. `spec`: {title, hint, format, series: [{name, of(sample)}], top: fixed upper end, area}.
 * Returns {element, show(times, columns, names), redraw(), end()}.
 */
export function chart(spec) {
  const id = `chart-${spec.id}`;
  const plot = h("div.plot", { role: "img", "aria-labelledby": id, "data-island": true });
  const names = h("ul.series");
  const element = h("figure.card.chart", h("figcaption", h("h2", { id }, spec.title), spec.hint && h("p.muted", spec.hint)), names, plot);
  let drawn = null;
  let data = null;
  let labels = [];

  function legend(index) {
    const at = index ?? (data ? data[0].length - 1 : null);
    render(
      names,
      labels.map((name, i) =>
        h("li", { "data-key": name }, h(`span.key.c${(i % SERIES) + 1}`, { "aria-hidden": "true" }), h("span.clip", { title: name }, name), h("strong", at === null ? DASH : spec.format(data[i + 1][at]))),
      ),
      index !== null && index !== undefined && data && h("li.at", clock(data[0][index] * 1000)),
    );
  }

  function make() {
    drawn?.destroy();
    const width = plot.clientWidth;
    if (!width || !data) {
      drawn = null;
      return;
    }
    const line = colour("line");
    const axis = { stroke: colour("soft"), font: FONT, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    drawn = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        padding: [10, 10, 0, 0],
        cursor: { sync: { key: SHARED.key, setSeries: false }, drag: { x: true, y: false }, points: { size: 6 }, y: false },
        scales: { x: { time: true }, y: { range: (_, low, high) => range(low, high, spec.top) } },
        axes: [
          { ...axis, space: 70, size: 26, values: (_, ticks, __, ___, step) => ticks.map((t) => time_tick(t, step)) },
          { ...axis, size: 62, space: 34, values: (_, ticks) => ticks.map((value) => (value === null ? "" : tick(spec.format(value)))), incrs: spec.steps },
        ],
        series: [
          {},
          ...labels.map((name, i) => ({
            label: name,
            stroke: colour(`series-${(i % SERIES) + 1}`),
            width: 1.6,
            fill: spec.area && labels.length === 1 ? `${colour("series-1")}1f` : undefined,
            points: { show: (u, s, i0, i1) => i1 - i0 < 2 },
            spanGaps: false,
          })),
        ],
        hooks: { setCursor: [(u) => legend(u.cursor.idx ?? null)] },
      },
      data,
      plot,
    );
  }

  const watcher = new ResizeObserver(() => {
    if (!plot.clientWidth) return;
    if (drawn) drawn.setSize({ width: plot.clientWidth, height: HEIGHT });
    else make();
  });
  watcher.observe(plot);

  return {
    element,
    show(times, columns, series) {
      const same = series.length === labels.length && series.every((name, i) => name === labels[i]);
      labels = series;
      data = [times, ...columns];
      if (drawn && same) drawn.setData(data);
      else make();
      legend(drawn?.cursor.idx ?? null);
      plot.setAttribute("aria-label", `${spec.title}: ${labels.map((name, i) => `${name} ${spec.format(columns[i].at(-1))}`).join(", ")}`);
      plot.removeAttribute("aria-labelledby");
    },
    redraw: make,
    end() {
      watcher.disconnect();
      drawn?.destroy();
      drawn = null;
    },
  };
}

function range(low, high, top) {
  if (top !== undefined) return [Math.min(0, low ?? 0), Math.max(top, high ?? 0)];
  const most = high === null || high === undefined || high <= 0 ? 1 : high * 1.12;
  return [Math.min(0, low ?? 0), most];
}

/** A tick without zeros that tell nothing: 60 k/s, not 60.0 k/s. */
const tick = (text) => text.replace(/(\d)\.(\d*?)0+(?!\d)/, (_, whole, part) => (part ? `${whole}.${part}` : whole));

function time_tick(seconds, step) {
  const text = clock(seconds * 1000);
  if (step >= 86_400) return new Date(seconds * 1000).toLocaleDateString("en", { month: "short", day: "numeric" });
  return step >= 60 ? text.slice(0, 5) : text;
}
