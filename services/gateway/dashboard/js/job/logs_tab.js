/** The log of an attempt: its tail, followed, filtered and searched. */

import { api } from "../api.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { icon } from "../icons.js";
import { bad } from "../toasts.js";
import { read_log } from "./log_stream.js";

const TAIL = 500;
/** Lines kept in the page; older ones are in the download. */
const MOST = 2000;
const WHOLE = 1_000_000;
const LEVELS = ["debug", "info", "warning", "error"];

export function show(place, context) {
  const view = { lines: [], least: "debug", search: "", follow: true, attempt: null, stop: null, queue: [], drawing: false };
  const list = h("ol.lines", { "aria-label": "Lines of the log" });
  const box = h("div.log", { tabindex: "0", role: "region", "aria-label": "Log" }, list);
  const state = h("p.hint", { role: "status" });
  const attempts = h("select", { id: "attempt", onchange: (event) => restart(() => (view.attempt = Number(event.target.value) || null)) });
  const follow = h("input", { type: "checkbox", checked: true, onchange: () => restart(() => (view.follow = follow.checked)) });
  place.append(
    h(
      "div.tools",
      h("label.search", icon("search"), h("span.sr", "Search the log"), h("input", { type: "search", placeholder: "Search", oninput: (event) => filter(() => (view.search = event.target.value.toLowerCase())) })),
      h("label.inline", h("span", "Level"), h("select", { onchange: (event) => filter(() => (view.least = event.target.value)) }, LEVELS.map((level) => h("option", { value: level }, level === "debug" ? "all" : level === "error" ? "error" : `${level} and above`)))),
      h("label.inline", h("span", "Attempt"), attempts),
      h("label.check", follow, "Follow"),
      h("span.space"),
      h("button", { type: "button", onclick: () => download(context.jid, view.attempt) }, icon("download"), "Download"),
    ),
    box,
    state,
  );

  const fits = (line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(view.least) && (!view.search || line.raw.toLowerCase().includes(view.search));

  function filter(change) {
    change();
    list.replaceChildren(...view.lines.filter(fits).map(row));
    tell();
    box.scrollTop = box.scrollHeight;
  }

  /** Lines are drawn once a frame, however many come. */
  function take(lines) {
    view.queue.push(...lines);
    if (view.drawing) return;
    view.drawing = true;
    setTimeout(flush, 50);
  }

  function flush() {
    view.drawing = false;
    const lines = view.queue.splice(0).slice(-MOST);
    const at_end = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    view.lines.push(...lines);
    view.lines.splice(0, Math.max(0, view.lines.length - MOST));
    list.append(...lines.filter(fits).map(row));
    while (list.children.length > MOST) list.firstChild.remove();
    if (at_end) box.scrollTop = box.scrollHeight;
    tell();
  }

  function tell(end = view.over) {
    view.over = end;
    const shown = list.children.length;
    const some = shown === view.lines.length ? `${count(shown)} lines` : `${count(shown)} of ${count(view.lines.length)} lines`;
    const words = view.lines.length === 0 ? (end ? "The log is empty." : "Waiting for the first line…") : `${some}${view.lines.length >= MOST ? "; older ones are in the download" : ""}${end && view.follow ? ". End of the log." : "."}`;
    if (state.textContent !== words) state.textContent = words;
  }

  function restart(change) {
    change();
    view.stop?.();
    view.over = false;
    view.stop = read_log(
      context.jid,
      { lines: TAIL, attempt: view.attempt, follow: view.follow },
      {
        begin: () => {
          view.lines = [];
          view.queue = [];
          list.replaceChildren();
          tell(false);
        },
        taken: take,
        failed: (error) => {
          tell(true);
          bad(error);
        },
        done: () => {
          flush();
          tell(true);
        },
      },
    );
  }

  const forget = context.on_job((job) => {
    const most = Math.max(1, job.attempt ?? 1);
    if (attempts.children.length === most + 1) return;
    const chosen = attempts.value;
    attempts.replaceChildren(h("option", { value: "" }, "latest"), ...Array.from({ length: most }, (_, i) => h("option", { value: String(most - i) }, String(most - i))));
    attempts.value = chosen;
  });
  restart(() => {});
  return () => {
    forget();
    view.stop?.();
  };
}

function row(line) {
  return h(
    `li.${LEVELS.includes(line.level) ? line.level : "info"}`,
    line.time && h("time", short_time(line.time)),
    h("span.log-level", line.level),
    h("span.log-text", h("span.event", line.event), line.more.map(([key, value]) => [" ", h("span.field-name", `${key}=`), h("span.field-value", value)]), line.logger && h("span.logger", ` ${line.logger}`), line.exception && h("pre", line.exception)),
  );
}

/** The time of day in this browser's zone, with ms. */
function short_time(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? String(text) : `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

async function download(jid, attempt) {
  try {
    const query = { lines: String(WHOLE), follow: "false" };
    if (attempt !== null) query.attempt = String(attempt);
    const response = await api.logs(jid, query);
    const link = h("a", { href: URL.createObjectURL(await response.blob()), download: `${jid}${attempt === null ? "" : `-${attempt}`}.log` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    bad(error);
  }
}
