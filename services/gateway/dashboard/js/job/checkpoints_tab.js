/** Committed epochs and savepoints. */

import { api } from "../api.js";
import { h, render } from "../dom.js";
import { ago, bytes, clock, count, duration, time } from "../format.js";
import { icon } from "../icons.js";
import { ended } from "../job_states.js";
import { again } from "../pages/job.js";
import { poll } from "../polling.js";
import { may_write } from "../session.js";
import { bad, good } from "../toasts.js";

const EVERY_MS = 2000;

export function show(place, context) {
  let data = null;
  const open = new Map();
  const draw = () => render(place, data === null ? h("p.loading", { role: "status" }, "Loading checkpoints…") : page(data, context.job()));
  draw();
  const stop = poll(
    EVERY_MS,
    async (signal) => {
      data = await api.checkpoints(context.jid, signal);
      announce(open, data.savepoints ?? []);
      draw();
    },
    (error) => error.status && bad(error),
  );
  const forget = context.on_job(draw);
  return () => {
    stop();
    forget();
  };
}

/** A savepoint that was in progress while this page was open, and is not any more, is worth a message. */
function announce(open, savepoints) {
  for (const one of savepoints) {
    const id = one["request-id"];
    if (open.get(id) === "IN_PROGRESS" && one.status === "COMPLETED") good(`The savepoint is complete: ${one.location}`);
    if (open.get(id) === "IN_PROGRESS" && one.status === "FAILED") bad(new Error(`The savepoint failed: ${one.error ?? "no reason is known"}`));
    open.set(id, one.status);
  }
}

function page(data, job) {
  return [
    h(
      "section.card",
      { "aria-label": "Totals of checkpoints" },
      h(
        "dl.facts",
        fact("Committed epochs", count(data.counts?.completed)),
        fact("Restored", count(data.counts?.restored)),
        fact("Failed", count(data.counts?.failed)),
        data.latest && fact("Latest epoch", count(data.latest.epoch)),
        data.latest && fact("Committed", ago(data.latest.committed_ms)),
        data.latest && fact("State", bytes(data.latest.state_bytes)),
      ),
      data.directory && h("p.hint", "Checkpoint directory: ", h("code", data.directory)),
    ),
    savepoints(data.savepoints ?? [], job),
    epochs(data.history ?? [], job),
  ];
}

const fact = (name, value) => h("div", h("dt", name), h("dd", value));

const SIGNS = { IN_PROGRESS: ["wait", "clock", "in progress"], COMPLETED: ["good", "check", "completed"], FAILED: ["bad", "cross", "failed"] };

function savepoints(found, job) {
  return h(
    "section.block",
    { "aria-labelledby": "savepoints-title" },
    h("h2", { id: "savepoints-title" }, "Savepoints"),
    found.length === 0
      ? h("p.muted", job && ended(job.state) ? "None was taken." : may_write() ? "None yet. “Savepoint” above takes one while the job goes on; “Stop” takes one and ends the job." : "None yet.")
      : h(
          "div.scroll",
          { tabindex: "0", role: "region", "aria-label": "Table of savepoints" },
          h(
            "table",
            h("thead", h("tr", ["Taken", "State", "Kind"].map((text) => h("th", { scope: "col" }, text)), h("th.right", { scope: "col" }, "Duration"), h("th", { scope: "col" }, "Location"), h("th", { scope: "col" }, h("span.sr", "Actions")))),
            h("tbody", found.map((one) => savepoint_row(one, job))),
          ),
        ),
  );
}

function savepoint_row(one, job) {
  const [kind, sign, text] = SIGNS[one.status] ?? ["gone", "ring", one.status];
  return h(
    "tr",
    { "data-key": one["request-id"] },
    h("td", time(one.time_ms)),
    h("td", h(`span.state.${kind}`, icon(sign), text)),
    h("td", one.kind === "stop" ? "stop" : "savepoint"),
    h("td.right", duration(one.duration_ms)),
    h("td.path", one.location ?? one.error ?? "–"),
    h("td.right", one.status === "COMPLETED" && may_write() && job?.artifact?.id && h("a.button", { href: again(job, one.location) }, icon("play"), "Run again from here")),
  );
}

function epochs(history, job) {
  return h(
    "section.block",
    { "aria-labelledby": "epochs-title" },
    h("h2", { id: "epochs-title" }, "Latest epochs"),
    history.length === 0
      ? h("p.muted", job && ended(job.state) ? "No epoch was committed." : "None yet. Each committed epoch is a checkpoint.")
      : h(
          "div.scroll",
          { tabindex: "0", role: "region", "aria-label": "Table of epochs" },
          h(
            "table",
            h("thead", h("tr", h("th.right", { scope: "col" }, "Epoch"), h("th", { scope: "col" }, "Committed"), ["Run", "Whole", "Records in", "Records out", "Watermark", "State"].map((text) => h("th.right", { scope: "col" }, text)), h("th", { scope: "col" }, "Where the time went"))),
            h("tbody", history.map(epoch_row)),
          ),
        ),
  );
}

function epoch_row(one) {
  return h(
    "tr",
    { "data-key": one.epoch },
    h("th.right", { scope: "row" }, count(one.epoch)),
    h("td", { title: time(one.committed_ms) }, clock(one.committed_ms)),
    h("td.right", duration(one.run_ms)),
    h("td.right", duration(one.duration_ms)),
    h("td.right", count(one.records_in)),
    h("td.right", count(one.records_out)),
    h("td.right", time(one.watermark)),
    h("td.right", bytes(one.state_bytes)),
    h("td.muted", phases(one.phases)),
  );
}

/** Phases are in seconds. */
export const phases = (found) =>
  Object.entries(found ?? {})
    .filter(([, s]) => s !== null)
    .map(([name, s]) => `${name} ${duration(s * 1000)}`)
    .join(", ") || "–";
