/** All jobs: totals, launchers, and a table to find one in. */

import { api } from "../api.js";
import { h, render } from "../dom.js";
import { about, ago, count, counted, rate, short, time } from "../format.js";
import { icon } from "../icons.js";
import { ended, state_badge } from "../job_states.js";
import { poll } from "../polling.js";
import { sparkline } from "../sparkline.js";
import { known, may_write } from "../session.js";
import { bad } from "../toasts.js";

const EVERY_MS = 3000;
const POINTS = 60;
/** Jobs whose past is fetched for their sparklines. */
const MOST_PASTS = 12;

const FILTERS = [
  ["all", "All", () => true],
  ["active", "Active", (job) => !ended(job.state)],
  ["finished", "Finished", (job) => job.state === "FINISHED"],
  ["canceled", "Canceled", (job) => job.state === "CANCELED"],
  ["failed", "Failed", (job) => job.state === "FAILED"],
];

export function show(place) {
  document.title = "Jobs · datastream";
  const view = { jobs: null, filter: "all", search: "", pasts: new Map() };
  const draw = () => render(place, page(view, draw));
  draw();
  return poll(
    EVERY_MS,
    async (signal) => {
      const [overview, { jobs }] = await Promise.all([api.overview(signal), api.jobs(signal)]);
      known.overview = overview;
      view.jobs = jobs;
      note_rates(view, signal, draw);
      draw();
    },
    (error) => error.status && bad(error),
  );
}

/** Past rates for the sparklines: fetched once for each running job, then kept by what each poll brings. */
function note_rates(view, signal, draw) {
  const running = view.jobs.filter((job) => job.state === "RUNNING");
  for (const job of running) {
    const past = view.pasts.get(job.jid);
    if (past) past.push(job["records-per-second"]);
    else {
      view.pasts.set(job.jid, [job["records-per-second"]]);
      if (view.pasts.size > MOST_PASTS) continue;
      api.metrics(job.jid, 0, signal).then(
        ({ samples }) => {
          const recent = samples.slice(-POINTS).map((sample) => sample.records_in_s);
          view.pasts.set(job.jid, [...recent, ...view.pasts.get(job.jid)]);
          draw();
        },
        () => {},
      );
    }
    const kept = view.pasts.get(job.jid);
    kept.splice(0, Math.max(0, kept.length - POINTS));
  }
}

function page(view, draw) {
  const { overview } = known;
  return [
    h("div.head", h("h1", "Jobs"), h("span.space"), may_write() && h("a.button.primary", { href: "#/artifacts" }, icon("plus"), "Run a job")),
    h("div.cards", totals(view, overview), launchers(overview)),
    view.jobs === null
      ? h("p.loading", { role: "status" }, "Loading jobs…")
      : view.jobs.length === 0
        ? nothing()
        : [tools(view, draw), table(view, draw)],
  ];
}

function totals(view, overview) {
  const { running, finished, canceled, failed } = overview.jobs;
  const through = view.jobs?.reduce((sum, job) => sum + (job.state === "RUNNING" ? (job["records-per-second"] ?? 0) : 0), 0);
  return h(
    "section.card.totals",
    { "aria-label": "Totals" },
    h("dl", figure("Active", running, "good"), figure("Finished", finished), figure("Canceled", canceled), figure("Failed", failed, failed ? "bad" : ""), figure("Throughput", through === undefined ? "–" : rate(through))),
  );
}

const figure = (name, value, kind = "") => h("div.figure", { class: kind }, h("dt", name), h("dd", typeof value === "number" ? count(value) : value));

function launchers(overview) {
  return h(
    "section.card.launchers",
    { "aria-label": "Launchers" },
    h("h2", "Launchers"),
    h(
      "ul",
      overview.launchers.map((launcher) =>
        h(
          "li",
          h(`span.lamp.${launcher.available ? "on" : "off"}`, { "aria-hidden": "true" }),
          h("span.name", launcher.name),
          launcher.default && h("span.tag", "default"),
          h("span.muted", launcher.available ? (launcher.pool ? warm(launcher.pool) : "ready") : (launcher.reason ?? "not available")),
        ),
      ),
    ),
    h("p.muted.version", `Version ${overview.version}`),
  );
}

const warm = ({ ready, size }) => `${ready} of ${counted(size, "warm driver")} ready`;

function nothing() {
  return h(
    "div.empty",
    h("h2", "No jobs yet"),
    may_write()
      ? [h("p", "Upload a Python script or an archive, and run it."), h("p", h("a.button.primary", { href: "#/artifacts" }, icon("upload"), "Upload an artifact"))]
      : h("p", "Jobs appear here as soon as one is run."),
  );
}

function tools(view, draw) {
  return h(
    "div.tools",
    h(
      "label.search",
      icon("search"),
      h("span.sr", "Search jobs"),
      h("input", { type: "search", placeholder: "Search name, artifact, SQL or id", oninput: (event) => ((view.search = event.target.value.toLowerCase()), draw()) }),
    ),
    h(
      "div.segments",
      { role: "group", "aria-label": "Show jobs" },
      FILTERS.map(([name, text, fits]) =>
        h(
          "button",
          { type: "button", "aria-pressed": String(view.filter === name), onclick: () => ((view.filter = name), draw()) },
          text,
          h("span.number", count(view.jobs.filter(fits).length)),
        ),
      ),
    ),
  );
}

function table(view, draw) {
  const [, , fits] = FILTERS.find(([name]) => name === view.filter);
  const found = view.jobs.filter(
    (job) => fits(job) && (!view.search || `${job.name} ${job.artifact?.name} ${job.request?.statement ?? ""} ${job.jid} ${job.state}`.toLowerCase().includes(view.search)),
  );
  if (!found.length)
    return h("div.empty", h("p", "No job fits."), h("button", { type: "button", onclick: () => clear(view, draw) }, "Show all jobs"));
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": "Table of jobs" },
    h(
      "table.jobs",
      h("caption.sr", "Jobs, newest first"),
      h("thead", h("tr", ["Name", "State"].map((text) => h("th", { scope: "col" }, text)), h("th.right", { scope: "col" }, "Throughput"), h("th.right", { scope: "col" }, "Records in"), h("th.right", { scope: "col" }, "Epoch"), h("th.right", { scope: "col" }, "Age"), h("th.right", { scope: "col" }, "Restarts"), h("th", { scope: "col" }, "Artifact"))),
      h("tbody", found.map((job) => row(job, view.pasts.get(job.jid)))),
    ),
  );
}

function clear(view, draw) {
  view.filter = "all";
  view.search = "";
  const input = document.querySelector(".search input");
  if (input) input.value = "";
  draw();
}

function row(job, past) {
  const runs = job.state === "RUNNING";
  const restarts = (job.restarts ?? 0) + Math.max(0, (job.attempt ?? 1) - 1);
  const way = `#/jobs/${job.jid}`;
  return h(
    "tr",
    { "data-key": job.jid },
    h("th", { scope: "row" }, h("a.job-name", { href: job.state === "FAILED" ? `${way}/exceptions` : way }, job.name || job.jid), job.error && !["FINISHED", "CANCELED"].includes(job.state) && h("p.error-line", { title: job.error }, job.error)),
    h("td", { "data-label": "State" }, state_badge(job.state)),
    h("td.right", { "data-label": "Throughput" }, h("span.through", runs && past && past.length > 1 ? sparkline(past) : null, h("span.rate", runs ? rate(job["records-per-second"]) : "–"))),
    h("td.right", { "data-label": "Records in", title: count(job["records-in"]) }, short(job["records-in"])),
    h("td.right", { "data-label": "Epoch" }, count(job.epoch)),
    h("td.right", { "data-label": "Age", title: `Started ${time(job["start-time"])}` }, ended(job.state) ? ago(job["start-time"]) : about(job.duration)),
    h("td.right", { "data-label": "Restarts", class: restarts ? "warned" : "" }, count(restarts)),
    h("td", { "data-label": "Artifact" }, h("span.clip", { title: job.request?.statement }, job.request?.statement ?? job.artifact?.name ?? "–"), job.launcher && job.launcher !== "process" && h("span.tag", job.launcher)),
  );
}
