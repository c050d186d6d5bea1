/** One sentence that says what limits the job. */

import { h } from "../dom.js";
import { share } from "../format.js";
import { icon } from "../icons.js";

const HOT = 0.8;

export function bottleneck_line(metrics, open) {
  const found = metrics?.bottleneck;
  if (!found) return h("p.bottleneck.calm", icon("check"), h("span", "No operator has been busy lately."));
  const hot = found.busy >= HOT || metrics.backpressured;
  const where = [
    found.subtask === null || found.subtask === undefined ? null : `subtask ${found.subtask}`,
    found.key_group === null || found.key_group === undefined ? null : `key group ${found.key_group}`,
  ].filter(Boolean);
  return h(
    `p.bottleneck.${hot ? "hot" : "calm"}`,
    icon(hot ? "warn" : "check"),
    h(
      "span",
      hot ? "The job is limited by " : "No back-pressure. The hottest operator is ",
      h("button.link", { type: "button", onclick: () => open(found.operator) }, found.name),
      `, ${share(found.busy)} busy`,
      where.length > 0 && ` in ${where.join(", ")}`,
      found.key ? [", key ", h("code.break", found.key)] : null,
      ".",
    ),
  );
}
