/** What has come of a statement: its rows, its text, its error, or the job that it has started. */

import { h, render } from "../dom.js";
import { count, counted } from "../format.js";
import { KeptRows } from "./kept_rows.js";
import { is_number, type_text } from "./types.js";

const SIGNS = { INSERT: "+I", UPDATE_BEFORE: "-U", UPDATE_AFTER: "+U", DELETE: "-D" };
const STATES = {
  running: ["wait", "running"],
  done: ["good", "done"],
  stopped: ["gone", "stopped"],
  failed: ["bad", "failed"],
  skipped: ["gone", "not explained"],
};
const HEAD = 120;

/** A block of the page: `element`, `take(page)` for pages of the result, and `end(state, error)`. */
export function result_block(number, statement, of_job) {
  const text = statement.trim();
  const element = h("section.card.sql-result", { "aria-label": `Result of statement ${number}` });
  const view = { number, text, state: "running", error: null, page: null, rows: null, changes: false };
  let planned = false;

  function draw() {
    planned = false;
    render(element, content(view, of_job, (changes) => ((view.changes = changes), draw())));
  }

  function plan() {
    if (planned) return;
    planned = true;
    requestAnimationFrame(draw);
  }

  draw();
  return {
    element,
    take(page) {
      view.page ??= page;
      view.rows ??= new KeptRows(page.results.columns.length);
      view.rows.take(page.results.data);
      plan();
    },
    end(state, error = null) {
      view.state = state;
      view.error = error;
      draw();
    },
    /** For those who do not see the page. */
    get told() {
      const rows = view.page?.isQueryResult ? `, ${counted(view.rows.count, "row")}` : "";
      return `Statement ${number} ${STATES[view.state][1]}${rows}`;
    },
  };
}

function content(view, of_job, choose) {
  const [kind, word] = STATES[view.state];
  const line = view.text.replace(/\s+/g, " ");
  return [
    h(
      "div.sql-head",
      h("h2", h("code", line.length > HEAD ? `${line.slice(0, HEAD)}…` : line)),
      h(`span.state.${kind}`, word),
    ),
    view.page && found(view, of_job, choose),
    view.error !== null && h("pre.sql-error", { role: "alert", tabindex: "0", "aria-label": "Error" }, view.error),
  ];
}

function found(view, of_job, choose) {
  const { page, rows } = view;
  const { columns } = page.results;
  if (!page.isQueryResult && page.jobID) return of_job(page.jobID);
  if (page.resultKind === "SUCCESS") return h("p.muted", "OK");
  const only = rows.count === 1 && columns.length === 1 ? rows.changes[0].fields[0] : null;
  if (!page.isQueryResult && only?.includes("\n")) return h("pre.sql-text", { tabindex: "0", role: "region", "aria-label": columns[0].name }, only);
  const both = rows.updates && rows.folded;
  const as_changes = rows.updates && (view.changes || !rows.folded);
  const shown = as_changes || !rows.updates ? rows.changes : rows.table();
  const total = shown === rows.changes ? rows.count : rows.size;
  return [
    h(
      "div.tools",
      both &&
        h(
          "div.segments",
          { role: "group", "aria-label": `Show of statement ${view.number}` },
          [
            ["Table", false],
            ["Changes", true],
          ].map(([text, changes]) => h("button", { type: "button", "aria-pressed": String(view.changes === changes), onclick: () => choose(changes) }, text)),
        ),
      h("p.muted", how_many(view, as_changes, shown.length, total)),
    ),
    rows.updates && !rows.folded && h("p.muted", "The table has become too large to be kept on this page, which shows the changes."),
    shown.length > 0 || columns.length > 0 ? table(view, columns, shown, as_changes) : null,
  ];
}

function how_many(view, as_changes, shown, total) {
  const what = as_changes ? "change" : "row";
  const all = counted(total, what);
  if (shown >= total) return all;
  return `${all}; the latest ${count(shown)} are kept on this page`;
}

function table(view, columns, shown, as_changes) {
  const right = columns.map((column) => (is_number(column.logicalType) ? "right" : null));
  return h(
    "div.scroll.sql-rows",
    { tabindex: "0", role: "region", "aria-label": `Rows of statement ${view.number}` },
    h(
      "table",
      h("caption.sr", `Rows of statement ${view.number}`),
      h(
        "thead",
        h(
          "tr",
          as_changes && h("th", { scope: "col" }, "Change"),
          columns.map((column, place) => h("th", { scope: "col", class: right[place] }, h("span.sql-column", column.name), h("span.sql-type", type_text(column.logicalType)))),
        ),
      ),
      h(
        "tbody",
        shown.map(({ kind, fields }) =>
          h(
            "tr",
            as_changes && h("td", h(`code.sql-kind.${kind.toLowerCase()}`, SIGNS[kind])),
            fields.map((value, place) => h("td", { class: right[place] }, value === null ? h("span.sql-null", "NULL") : h("span.sql-value", value))),
          ),
        ),
      ),
    ),
  );
}
