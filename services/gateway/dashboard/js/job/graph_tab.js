/** The graph with live metrics, a panel for one operator, and all operators as a table. */

import { h, render } from "../dom.js";
import { bytes, count, duration, rate, share } from "../format.js";
import { bottleneck_line } from "../graph/bottleneck.js";
import { draw_plan } from "../graph/drawing.js";
import { pressure_of, show_figures } from "../graph/live.js";
import { viewport } from "../graph/viewport.js";
import { ended } from "../job_states.js";
import { follow_metrics } from "./live_metrics.js";
import { operator_panel } from "./operator_panel.js";

export function show(place, context) {
  const view = { plan: null, drawn: null, frame: null, metrics: null, chosen: null, from: null };
  const panel = h("aside.panel", { "aria-label": "Operator", hidden: true, onkeydown: (event) => event.key === "Escape" && close() });

  function open(uid) {
    view.chosen = uid;
    view.from = document.activeElement;
    draw();
    panel.querySelector("h2")?.focus({ preventScroll: true });
  }

  function close() {
    const back = view.drawn?.operators.get(view.chosen)?.group;
    const from = view.from?.isConnected && view.from !== document.body ? view.from : back;
    view.chosen = null;
    draw();
    from?.focus({ preventScroll: true });
  }

  function draw() {
    const job = context.job();
    if (!view.plan) {
      render(place, waiting(job));
      return;
    }
    const live = view.metrics && Object.keys(view.metrics.operators ?? {}).length > 0;
    render(
      place,
      live ? bottleneck_line(view.metrics, open) : h("p.bottleneck.calm", job && ended(job.state) ? "The job has ended. Its operators have no current metrics." : "Metrics appear with the first committed epoch."),
      h("div.graph-card", view.frame.element, legend()),
      table(view, open),
      panel,
    );
    show_figures(view.drawn, view.metrics?.operators ?? {}, view.metrics?.bottleneck, view.chosen);
    panel.hidden = view.chosen === null;
    const node = view.plan.nodes.find((each) => each.uid === view.chosen);
    render(panel, node ? operator_panel(node, view.metrics?.operators?.[node.uid], close, context) : null);
  }

  const forget = context.on_job((job) => {
    if (job.plan && !same(job.plan, view.plan)) {
      view.frame?.end();
      view.plan = job.plan;
      view.drawn = draw_plan(job.plan, open);
      view.frame = viewport(view.drawn);
      place.replaceChildren();
    }
    draw();
  });
  const stop = follow_metrics(context, (metrics) => {
    view.metrics = metrics;
    draw();
  });
  const escape = (event) => event.key === "Escape" && view.chosen !== null && !document.querySelector("dialog[open]") && close();
  document.addEventListener("keydown", escape);
  if (!context.job()) draw();
  return () => {
    forget();
    stop();
    view.frame?.end();
    document.removeEventListener("keydown", escape);
  };
}

const same = (a, b) => b !== null && JSON.stringify(a) === JSON.stringify(b);

function waiting(job) {
  if (!job) return h("p.loading", { role: "status" }, "Loading the graph…");
  if (ended(job.state))
    return h("div.empty", h("h2", "There is no graph"), h("p", "The job ended before it had one. ", h("a", { href: `#/jobs/${job.jid}/exceptions` }, "Exceptions"), " and ", h("a", { href: `#/jobs/${job.jid}/logs` }, "logs"), " say why."));
  return h("div.empty", h("h2", "The job is starting"), h("p", "Its graph appears here as soon as its driver has built it. ", h("a", { href: `#/jobs/${job.jid}/logs` }, "The log"), " shows what it does now."));
}

function legend() {
  return h(
    "ul.legend",
    { "aria-label": "Legend" },
    h("li", h("span.swatch.busy-share", h("span")), "busy share of the busiest subtask"),
    h("li", h("span.swatch.ok"), "no back-pressure (BP)"),
    h("li", h("span.swatch.low"), "low (over 10%)"),
    h("li", h("span.swatch.high"), "high (over 50%)"),
    h("li", h("span.swatch.hot"), "hottest operator"),
    h("li", "↓ records in, ↑ records out"),
  );
}

function table(view, open) {
  const now = view.metrics?.operators ?? {};
  return h(
    "details.operators",
    { open: true },
    h("summary", h("h2", "Operators")),
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "Table of operators" },
      h(
        "table",
        h("caption.sr", "Operators and their metrics"),
        h("thead", h("tr", h("th", { scope: "col" }, "Operator"), h("th", { scope: "col" }, "Kind"), ["In", "Out", "Busy", "Back-pressure", "Watermark lag", "Backlog", "Keys", "State"].map((text) => h("th.right", { scope: "col" }, text)))),
        h("tbody", view.plan.nodes.map((node) => row(node, now[node.uid], view.metrics?.bottleneck?.operator === node.uid, open))),
      ),
    ),
  );
}

function row(node, now = {}, hottest, open) {
  const level = pressure_of(now.backpressure);
  return h(
    "tr",
    { "data-key": node.uid },
    h("th.wrap", { scope: "row" }, h("button.link", { type: "button", onclick: () => open(node.uid) }, node.name), hottest && h("span.tag.hot", "hottest")),
    h("td", node.kind.replaceAll("_", " ")),
    h("td.right", node.predecessors.length ? rate(now.records_in_s) : "–"),
    h("td.right", node.kind === "sink" ? "–" : rate(now.records_out_s)),
    h("td.right", share(now.busy_max ?? now.busy)),
    h("td.right", h(`span.level.${level}`, level === "ok" ? share(now.backpressure) : `${level} ${share(now.backpressure)}`)),
    h("td.right", duration(now.watermark_lag_ms)),
    h("td.right", count(now.backlog)),
    h("td.right", count(now.keys)),
    h("td.right", bytes(now.state_bytes)),
  );
}
