/** What failed, and where in the user's code. */

import { api } from "../api.js";
import { h, render } from "../dom.js";
import { ago, counted, time } from "../format.js";
import { icon } from "../icons.js";
import { poll } from "../polling.js";
import { bad } from "../toasts.js";

const EVERY_MS = 4000;

export function show(place, context) {
  let data = null;
  const draw = () => render(place, page(data));
  draw();
  return poll(
    EVERY_MS,
    async (signal) => {
      data = await api.exceptions(context.jid, signal);
      draw();
    },
    (error) => error.status && bad(error),
  );
}

function page(data) {
  if (data === null) return h("p.loading", { role: "status" }, "Loading exceptions…");
  const found = data.exceptions ?? [];
  if (found.length === 0 && !data["root-exception"]) return h("div.empty", icon("check"), h("h2", "No exceptions"), h("p", "Failures and restarts of this job would be listed here."));
  if (found.length === 0) return h("article.card.exception", h("h2", "The job failed"), h("pre", data["root-exception"]));
  return [h("p.muted", `${counted(found.length, "exception")}${found.length > 1 ? ", newest first" : ""}`), found.map(exception)];
}

const KINDS = { restart: "the job restarted", epoch: "an epoch ran again", failed: "the job failed", driver: "its driver ended" };

function exception(one) {
  const where = [
    one.file && ["Your code", place_of(one)],
    one.function && ["Function", one.function],
    one.operator && ["Operator", one.operator],
    one.value !== null && one.value !== undefined && ["Value", h("pre.value", one.value)],
  ].filter(Boolean);
  return h(
    `article.card.exception.${one.kind}`,
    { "data-key": `${one.attempt}-${one.number}-${one.time_ms}` },
    h("div.exception-head", h("h2", one.type ?? "Error"), h("span.tag", KINDS[one.kind] ?? one.kind), h("span.space"), h("span.muted", { title: time(one.time_ms) }, `${ago(one.time_ms)}, attempt ${one.attempt ?? 1}`)),
    one.message && h("p.message", one.message),
    where.length > 0 && h("dl.where", where.map(([name, value]) => [h("dt", name), h("dd", value)])),
    one.trace && h("details", h("summary", "Trace"), h("pre", { tabindex: "0", "aria-label": "Trace" }, one.trace)),
  );
}

/** The file's name and the line first; the folder, which is the gateway's, after it. */
function place_of({ file, line }) {
  const cut = file.lastIndexOf("/") + 1;
  return [h("span.line", `${file.slice(cut)}${line ? `, line ${line}` : ""}`), cut > 0 && h("span.folder", ` in ${file.slice(0, cut)}`)];
}
