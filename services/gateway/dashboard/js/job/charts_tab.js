/** Figures of the job over time. */

import { chart } from "../charts/chart.js";
import { BYTES, COUNTS, DURATIONS, PLAIN } from "../charts/steps.js";
import { h, render } from "../dom.js";
import { bytes, duration, rate, share, short } from "../format.js";
import { ended } from "../job_states.js";
import { on_theme } from "../theme.js";
import { follow_metrics } from "./live_metrics.js";

/** Partitions drawn one by one: those whose watermark is furthest behind. */
const MOST_PARTITIONS = 5;

const of = (name, key) => ({ name, of: (sample) => sample[key] });
const CHARTS = [
  { id: "throughput", title: "Throughput", hint: "Records per second", format: rate, steps: PLAIN, series: [of("in", "records_in_s"), of("out", "records_out_s")] },
  { id: "epoch", title: "Epoch time", hint: "How long an epoch runs", format: duration, steps: DURATIONS, series: [of("mean", "epoch_ms")], area: true },
  { id: "latency", title: "Latency", hint: "From a record's arrival to its committed result", format: duration, steps: DURATIONS, series: [of("estimate", "latency_ms")], area: true },
  { id: "busy", title: "Busy", hint: "Share of the time in which epochs ran", format: share, steps: [0.1, 0.2, 0.25, 0.5, 1], top: 1, series: [of("job", "busy")], area: true },
  { id: "lag", title: "Watermark lag", hint: "How far event time is behind the clock", format: duration, steps: DURATIONS, series: [of("job", "watermark_lag_ms")], area: true },
  { id: "partitions", title: "Watermark lag by partition", hint: "The partitions that are furthest behind", format: duration, steps: DURATIONS, partitions: true },
  { id: "backlog", title: "Backlog", hint: "Records that wait in the sources", format: short, steps: COUNTS, series: [of("records", "backlog")], area: true },
  { id: "state", title: "State size", hint: "Kept in the checkpoint", format: bytes, steps: BYTES, series: [of("state", "state_bytes")], area: true },
  { id: "keys", title: "State entries", hint: "Keys that have state", format: short, steps: COUNTS, series: [of("entries", "state_keys")], area: true },
  { id: "memory", title: "Memory", hint: "Of the driver's processes", format: bytes, steps: BYTES, series: [of("memory", "memory_bytes")], area: true },
];

const SPANS = [
  ["all", "All", Infinity],
  ["hour", "1 h", 3_600_000],
  ["ten", "10 min", 600_000],
];

export function show(place, context) {
  const view = { samples: null, span: "all", charts: null };

  function draw() {
    if (view.samples === null) return render(place, h("p.loading", { role: "status" }, "Loading metrics…"));
    if (view.samples.length === 0) return render(place, nothing(context.job()));
    const first = view.charts === null;
    view.charts ??= CHARTS.map((spec) => [spec, chart(spec)]);
    const limit = view.samples.at(-1).time_ms - SPANS.find(([name]) => name === view.span)[2];
    const samples = view.samples.filter((sample) => sample.time_ms >= limit);
    const tools = h(
      "div.tools",
      { "data-key": "tools" },
      h("div.segments", { role: "group", "aria-label": "Span of time" }, SPANS.map(([name, text]) => h("button", { type: "button", "aria-pressed": String(view.span === name), onclick: () => ((view.span = name), draw()) }, text))),
      h("p.hint", "Drag across a chart to zoom in; double-click to zoom out."),
    );
    if (first) {
      place.replaceChildren(h("div"), h("div.charts", view.charts.map(([, one]) => one.element)));
    }
    render(place.firstChild, tools);
    const times = samples.map((sample) => sample.time_ms / 1000);
    for (const [spec, one] of view.charts) {
      const series = spec.partitions ? partition_series(samples) : spec.series;
      const columns = series.map((each) => samples.map((sample) => each.of(sample) ?? null));
      const known = columns.some((column) => column.some((value) => value !== null));
      one.element.hidden = !known;
      if (known) one.show(times, columns, series.map((each) => each.name));
    }
  }

  draw();
  const stop = follow_metrics(context, (metrics) => {
    view.samples = metrics.samples;
    draw();
  });
  const forget = on_theme(() => view.charts?.forEach(([, one]) => one.redraw()));
  return () => {
    stop();
    forget();
    view.charts?.forEach(([, one]) => one.end());
  };
}

/** The operators behind a source that make watermarks know the same partitions: each is drawn once. */
function partition_series(samples) {
  const last = samples.at(-1)?.partitions ?? {};
  const found = new Map();
  for (const [name, lag] of Object.entries(last)) {
    const same = `${name.slice(name.indexOf("/") + 1)} ${lag}`;
    if (!found.has(same)) found.set(same, [name, lag ?? 0]);
  }
  const behind = [...found.values()].sort(([, a], [, b]) => b - a);
  return behind.slice(0, MOST_PARTITIONS).map(([name]) => ({ name, of: (sample) => sample.partitions?.[name] }));
}

function nothing(job) {
  const over = job && ended(job.state);
  return h(
    "div.empty",
    h("h2", "No metrics"),
    over ? h("p", "The job ended before its first epoch was committed.") : h("p", "Charts begin with the first committed epoch. ", job && h("a", { href: `#/jobs/${job.jid}/logs` }, "The log"), " shows what the job does now."),
  );
}
