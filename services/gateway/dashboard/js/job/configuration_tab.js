/** How the job was started, and what it found. */

import { h, render } from "../dom.js";
import { bytes, count, duration, time } from "../format.js";
import { icon } from "../icons.js";
import { known } from "../session.js";
import { phases } from "./checkpoints_tab.js";

export function show(place, context) {
  const draw = (job) => render(place, page(job));
  const forget = context.on_job(draw);
  if (!context.job()) render(place, h("p.loading", { role: "status" }, "Loading the configuration…"));
  return forget;
}

function page(job) {
  const { request = {}, snapshot } = job;
  const settings = Object.entries(request?.flinkConfiguration ?? {});
  return [
    warnings(snapshot?.warnings ?? []),
    request?.statement && h("section.card.block", h("h2", "Statement"), h("pre.statement", { tabindex: "0" }, request.statement)),
    h(
      "div.two",
      section("Run", [
        ["Job id", h("code", job.jid)],
        ["Session", request?.session && h("code", request.session)],
        ["Artifact", job.artifact?.name],
        ["Entry module", request?.pythonEntryModule ?? request?.entryClass],
        ["Arguments", argument_text(request)],
        ["Parallelism", count(job.parallelism)],
        ["Started from savepoint", request?.savepointPath],
        ["Launcher", job.launcher],
        ["Attempt", count(job.attempt)],
        ["Started", time(job["start-time"])],
        ["Ended", job["end-time"] > 0 ? time(job["end-time"]) : null],
        ["Exit code", job["exit-code"]],
      ]),
      section("Storage and versions", [
        ["Checkpoint directory", job.checkpoint && h("code", job.checkpoint)],
        ["Last savepoint", job.savepoint && h("code", job.savepoint)],
        ["Gateway's version", known.overview?.version],
        ["Key groups", count(snapshot?.max_parallelism)],
        ["State entries", snapshot?.state && count(snapshot.state.entries)],
        ["State in memory", snapshot?.state && bytes(snapshot.state.memory_bytes)],
        ["State on disk", snapshot?.state && bytes(snapshot.state.disk_bytes)],
        ["Driver up", snapshot?.uptime_s === undefined ? null : duration(snapshot.uptime_s * 1000)],
        ["Time by phase", snapshot?.phases && phases(snapshot.phases)],
      ]),
      section("Settings", settings.map(([key, value]) => [h("code", key), h("code", String(value))]), "The run gave no settings; the defaults apply."),
      section("The job's own metrics", Object.entries(snapshot?.user_metrics ?? {}).map(([name, value]) => [name, typeof value === "number" ? count(value) : JSON.stringify(value)]), "Its functions register none."),
    ),
  ];
}

const argument_text = (request) => {
  const list = request?.programArgsList?.length ? request.programArgsList.join(" ") : request?.programArgs;
  return list && h("code", list);
};

function section(title, pairs, nothing = "–") {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h(
    "section.card.block",
    h("h2", title),
    shown.length ? h("dl.pairs", shown.map(([name, value]) => h("div", h("dt.break", name), h("dd.break", value)))) : h("p.muted", nothing),
  );
}

function warnings(found) {
  if (!found.length) return null;
  return h(
    "section.card.block",
    h("h2", "Warnings"),
    h("ul.warnings", found.map((one) => h("li", icon("warn"), h("span.break", one.operator && h("strong", `${one.operator}: `), one.message), h("span.muted", time(one.time_ms))))),
  );
}
