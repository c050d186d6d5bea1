/** Everything that is known of one operator. */

import { h } from "../dom.js";
import { bytes, count, duration, rate, share, time } from "../format.js";
import { icon } from "../icons.js";

export function operator_panel(node, now, close, context) {
  return [
    h("div.panel-head", h("h2", { tabindex: "-1" }, node.name), h("button.plain.square", { type: "button", "aria-label": "Close the panel", onclick: close }, icon("close"))),
    h("p.panel-kind", h("span.tag", node.kind.replaceAll("_", " ")), node.keeps && h("span.tag", node.keeps), h("span.muted", `parallelism ${node.parallelism}, level ${node.level}`)),
    h("dl.pairs", pair("Operator id", h("code", node.uid)), node.origin && pair("In your code", h("code", node.origin)), inputs(node, context)),
    now ? figures(node, now) : h("p.muted", "No metrics yet."),
  ];
}

const pair = (name, value) => h("div", h("dt", name), h("dd.break", value));

function inputs(node, context) {
  const names = new Map(context.job()?.plan?.nodes.map((each) => [each.id, each.name]) ?? []);
  if (!node.predecessors.length) return null;
  return pair(
    "Reads from",
    h("ul", node.predecessors.map((from) => h("li", names.get(from.id) ?? `#${from.id}`, h("span.muted", ` ${(from.ship_strategy ?? "").toLowerCase()}${from.side_output ? `, side output ${from.side_output}` : ""}`)))),
  );
}

function figures(node, now) {
  const partitions = Object.entries(now.partitions ?? {});
  const groups = now.hot_key_groups ?? [];
  return [
    h(
      "dl.tiles",
      node.predecessors.length > 0 && tile("In", rate(now.records_in_s)),
      node.kind !== "sink" && tile("Out", rate(now.records_out_s)),
      tile("Busy", share(now.busy)),
      tile("Busiest subtask", now.busy_max === null || now.busy_max === undefined ? "–" : `${share(now.busy_max)}${now.busiest === null || now.busiest === undefined ? "" : ` (${now.busiest})`}`),
      tile("Back-pressure", share(now.backpressure)),
      some(now.watermark_lag_ms) && tile("Watermark lag", duration(now.watermark_lag_ms)),
      some(now.backlog) && tile("Backlog", count(now.backlog)),
      some(now.keys) && tile("Keys", count(now.keys)),
      some(now.state_bytes) && tile("State", bytes(now.state_bytes)),
      some(now.timers) && tile("Timers", count(now.timers)),
      some(now.late) && (now.late > 0 || node.keeps) && tile("Late records", count(now.late)),
    ),
    some(now.watermark) && h("p.muted", "Watermark ", time(now.watermark)),
    partitions.length > 0 && [h("h3", "Partitions"), holds_back(now, partitions), partition_table(partitions, now.holds_back)],
    now.subtasks?.length > 0 && [h("h3", "Subtasks"), subtask_table(now.subtasks, now.busiest)],
    (groups.length > 0 || now.hot_key) && [h("h3", "Hottest keys"), hot(groups, now.hot_key)],
  ];
}

const some = (value) => value !== null && value !== undefined;
const tile = (name, value) => h("div", h("dt", name), h("dd", value));

function holds_back(now, partitions) {
  if (!some(now.holds_back)) return null;
  const lag = partitions.find(([name]) => name === String(now.holds_back))?.[1]?.lag_ms;
  return h("p.holds-back", icon("clock"), h("span", "Partition ", h("strong.break", String(now.holds_back)), " holds event time back", some(lag) && `: its watermark is ${duration(lag)} behind`, "."));
}

function partition_table(partitions, held) {
  const longest = Math.max(1, ...partitions.map(([, each]) => each.lag_ms ?? 0));
  return h(
    "table.narrow",
    h("thead", h("tr", h("th", { scope: "col" }, "Partition"), h("th.right", { scope: "col" }, "Watermark lag"), h("th", { scope: "col" }, h("span.sr", "As a bar")), h("th.right", { scope: "col" }, "Backlog"))),
    h(
      "tbody",
      partitions.map(([name, each]) =>
        h(
          "tr",
          { "data-key": name, class: name === String(held) ? "held" : "" },
          h("th.wrap", { scope: "row" }, name),
          h("td.right", duration(each.lag_ms)),
          h("td", h("span.meter", h("span", { css: { width: `${(Math.max(0, each.lag_ms ?? 0) / longest) * 100}%` } }))),
          h("td.right", count(each.backlog)),
        ),
      ),
    ),
  );
}

function subtask_table(subtasks, busiest) {
  return h(
    "table.narrow",
    h("thead", h("tr", h("th", { scope: "col" }, "Subtask"), ["In", "Out", "Busy"].map((text) => h("th.right", { scope: "col" }, text)))),
    h(
      "tbody",
      subtasks.map((each) =>
        h(
          "tr",
          { "data-key": each.subtask },
          h("th", { scope: "row" }, each.subtask, each.subtask === busiest && subtasks.length > 1 && h("span.tag", "busiest")),
          h("td.right", rate(each.records_in_s)),
          h("td.right", rate(each.records_out_s)),
          h("td.right", share(each.busy)),
        ),
      ),
    ),
  );
}

function hot(groups, key) {
  const most = Math.max(1, ...groups.map(([, n]) => n));
  return [
    key && h("p", "Key ", h("code.break", key[0]), some(key[1]) && ` has ${share(key[1])} of the records.`),
    groups.length > 0 &&
      h(
        "table.narrow",
        h("thead", h("tr", h("th", { scope: "col" }, "Key group"), h("th.right", { scope: "col" }, "Records"), h("th", { scope: "col" }, h("span.sr", "As a bar")))),
        h("tbody", groups.map(([group, n]) => h("tr", { "data-key": group }, h("th", { scope: "row" }, group), h("td.right", count(n)), h("td", h("span.meter", h("span", { css: { width: `${(n / most) * 100}%` } })))))),
      ),
  ];
}
