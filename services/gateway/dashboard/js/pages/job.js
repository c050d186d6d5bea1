/** One job: its metrics and buttons on top, and a tab below. */

import { ApiError, api } from "../api.js";
import { ask } from "../dialogs.js";
import { h, render } from "../dom.js";
import { about, ago, count, duration, rate, short, time } from "../format.js";
import { icon } from "../icons.js";
import { ended, starting, state_badge } from "../job_states.js";
import { poll } from "../polling.js";
import { may_write } from "../session.js";
import { bad, good } from "../toasts.js";

const EVERY_MS = 2000;

const TABS = [
  ["graph", "Graph", () => import("../job/graph_tab.js")],
  ["charts", "Charts", () => import("../job/charts_tab.js")],
  ["checkpoints", "Checkpoints", () => import("../job/checkpoints_tab.js")],
  ["exceptions", "Exceptions", () => import("../job/exceptions_tab.js")],
  ["logs", "Logs", () => import("../job/logs_tab.js")],
  ["configuration", "Configuration", () => import("../job/configuration_tab.js")],
];

export function show(place, route) {
  const top = h("div.job-top");
  const body = h("section.tab");
  const view = { route, job: null, missing: false, turn: 0, end_tab: null, listeners: new Set() };
  place.append(top, body);

  /** What a tab is given. `on_job` calls now and whenever the job was fetched anew. */
  const context = {
    jid: route.jid,
    job: () => view.job,
    refresh: () => polling.now(),
    on_job: (listener) => {
      view.listeners.add(listener);
      if (view.job) listener(view.job);
      return () => view.listeners.delete(listener);
    },
  };

  async function show_tab() {
    const mine = ++view.turn;
    view.end_tab?.();
    view.end_tab = null;
    const [name, title, load] = TABS.find(([tab]) => tab === view.route.tab) ?? TABS[0];
    body.setAttribute("aria-label", title);
    const tab = await load();
    if (mine !== view.turn) return;
    body.replaceChildren();
    body.className = `tab tab-${name}`;
    view.end_tab = tab.show(body, context);
    show_chosen_tab();
  }

  const draw = () => render(top, header(view, context));
  /** On a phone the tabs are scrolled. */
  function show_chosen_tab() {
    const chosen = top.querySelector(".tabs [aria-current]");
    if (chosen) chosen.parentElement.scrollLeft = chosen.offsetLeft - (chosen.parentElement.clientWidth - chosen.offsetWidth) / 2;
  }
  draw();
  show_tab();
  const polling = poll(
    EVERY_MS,
    async (signal) => {
      const first = view.job === null;
      view.job = await api.job(route.jid, signal);
      document.title = `${view.job.name} · datastream`;
      draw();
      if (first) show_chosen_tab();
      for (const listener of [...view.listeners]) listener(view.job);
    },
    (error) => {
      if (!(error instanceof ApiError) || error.status !== 404) return error.status && bad(error);
      leave();
      place.replaceChildren();
      render(place, h("div.empty", h("h1", "There is no such job"), h("p", "It may have been deleted from the gateway."), h("p", h("a", { href: "#/" }, "To the list of jobs"))));
    },
  );
  function leave() {
    view.turn++;
    polling();
    view.end_tab?.();
    view.end_tab = null;
  }
  leave.moved = (next) => {
    view.route = next;
    draw();
    show_tab();
    return true;
  };
  return leave;
}

function header(view, context) {
  const { job, route } = view;
  if (job === null) return h("p.loading", { role: "status" }, "Loading the job…");
  return [
    h("nav.crumbs", { "aria-label": "Way here" }, h("a", { href: "#/" }, "Jobs")),
    h("div.head", h("h1", job.name || job.jid), state_badge(job.state), h("span.space"), h("div.buttons", buttons(job, context))),
    job.error && h(`p.job-error.${job.state === "FAILED" ? "is-bad" : "is-warn"}`, icon("warn"), h("span", { tabindex: "0" }, job.error), route.tab !== "exceptions" && h("a", { href: `#/jobs/${job.jid}/exceptions` }, "Exceptions")),
    figures(job),
    h(
      "nav.tabs",
      { "aria-label": "Views of the job" },
      TABS.map(([name, title]) => h("a", { href: `#/jobs/${job.jid}/${name}`, "aria-current": name === route.tab ? "page" : null }, title)),
    ),
  ];
}

function figures(job) {
  const restarts = (job.restarts ?? 0) + Math.max(0, (job.attempt ?? 1) - 1);
  const over = ended(job.state);
  return h(
    "dl.facts",
    fact("Throughput", job.state === "RUNNING" ? rate(job["records-per-second"]) : "–"),
    fact("Records in", short(job["records-in"]), count(job["records-in"])),
    fact("Records out", short(job["records-out"]), count(job["records-out"])),
    fact("Epoch", count(job.epoch)),
    fact(over ? "Ran" : "Up", about(job.duration), duration(job.duration)),
    fact("Started", ago(job["start-time"]), time(job["start-time"]), ".extra"),
    fact("Restarts", count(restarts)),
    fact("Parallelism", count(job.parallelism), null, ".extra"),
    fact("Artifact", job.artifact?.name ?? "–", null, ".extra"),
    fact("Launcher", job.launcher ?? "–", null, ".extra"),
  );
}

const fact = (name, value, title = null, more = "") => h(`div${more}`, h("dt", name), h("dd", { title }, value));

function buttons(job, context) {
  if (!may_write()) return null;
  if (ended(job.state))
    return [
      job.artifact?.id && h("a.button", { href: again(job) }, icon("turn"), "Run again"),
      h("button.danger", { type: "button", onclick: () => forget(job) }, icon("trash"), "Delete"),
    ];
  return [
    h("button", { type: "button", disabled: starting(job.state), onclick: () => savepoint(job, context) }, icon("save"), "Savepoint"),
    h("button", { type: "button", disabled: starting(job.state), onclick: () => stop(job, context) }, icon("stop"), "Stop…"),
    h("button.danger", { type: "button", disabled: job.state === "CANCELLING", onclick: () => cancel(job, context) }, icon("cross"), "Cancel…"),
  ];
}

/** The form that runs the job's artifact once more, filled in as this run was. */
export function again(job, location = null) {
  const query = new URLSearchParams({ job: job.jid });
  if (location) query.set("savepoint", location);
  return `#/artifacts/${encodeURIComponent(job.artifact.id)}?${query}`;
}

async function cancel(job, context) {
  const yes = await ask({
    title: `Cancel ${job.name}?`,
    text: ["The job ends at once, without a savepoint. Its checkpoint stays until you delete the job.", "To continue it later from exactly here, stop it with a savepoint."],
    confirm: "Cancel the job",
    danger: true,
  });
  if (yes) await attempt(() => api.cancel(job.jid), "The job is being cancelled.", context);
}

const DIRECTORY = { name: "directory", label: "Directory", placeholder: "The gateway's own", hint: "A path or URL that the job's processes can write to. Leave it empty for the gateway's own." };

async function savepoint(job, context) {
  const given = await ask({ title: "Take a savepoint", text: "The job goes on while its state is written.", confirm: "Take a savepoint", fields: [DIRECTORY] });
  if (given && (await attempt(() => api.savepoint(job.jid, given.directory || null), "The savepoint is being taken.", context)))
    location.hash = `#/jobs/${job.jid}/checkpoints`;
}

async function stop(job, context) {
  const drain = { name: "drain", type: "checkbox", label: "Drain", hint: "Event time jumps to its end: all windows and timers fire. Only for a job that shall not go on from this savepoint." };
  const given = await ask({
    title: `Stop ${job.name} with a savepoint?`,
    text: "The epoch in progress ends, a savepoint is written, and the job finishes. You can run it again from there.",
    confirm: "Stop with a savepoint",
    fields: [DIRECTORY, drain],
  });
  if (given && (await attempt(() => api.stop(job.jid, given.directory || null, given.drain), "The job is being stopped.", context)))
    location.hash = `#/jobs/${job.jid}/checkpoints`;
}

async function forget(job) {
  const yes = await ask({ title: `Delete ${job.name}?`, text: "This deletes the logs, metrics and checkpoint of the job. Savepoints stay.", confirm: "Delete the job", danger: true });
  if (!yes) return;
  try {
    await api.forget(job.jid);
    location.hash = "#/";
    good("The job is deleted.");
  } catch (error) {
    bad(error);
  }
}

async function attempt(call, text, context) {
  try {
    await call();
    good(text);
    context.refresh();
    return true;
  } catch (error) {
    bad(error);
    return false;
  }
}
