/** Statements of SQL: an editor, their results as they come, and their plans. */

import { h, render } from "../dom.js";
import { counted } from "../format.js";
import { icon } from "../icons.js";
import { may_run_sql, sql_is_on, token } from "../session.js";
import { result_block } from "../sql/result.js";
import { SqlSession } from "../sql/session.js";

const MOST_HISTORY = 50;
/** What EXPLAIN is for. A statement that begins with a symbol is a query, too. */
const EXPLAINED = ["SELECT", "WITH", "VALUES", "INSERT", "EXECUTE", "EXPLAIN", undefined];

const EXAMPLE = `CREATE TEMPORARY TABLE IF NOT EXISTS orders (
  id INT,
  amount INT
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '20',
  'number-of-rows' = '100',
  'fields.id.min' = '1', 'fields.id.max' = '4',
  'fields.amount.min' = '1', 'fields.amount.max' = '100'
);

SELECT id AS shop, COUNT(*) AS orders, SUM(amount) AS total
FROM orders
GROUP BY id;
`;

/** What was typed and run: kept while the dashboard is open, for the same token alone. */
let kept = null;

export function show(place) {
  document.title = "SQL · datastream";
  if (!may_run_sql()) {
    const why = sql_is_on() ? "This token may only read. Running SQL needs the scope write." : "This gateway runs no SQL: it was started with --sql-sessions 0.";
    render(place, h("div.empty", h("h1", "SQL"), h("p", why)));
    return null;
  }
  if (kept === null || kept.token !== token()) kept = { token: token(), text: "", history: [], executor: "local" };
  return new SqlPage(place, kept).leave;
}

class SqlPage {
  #kept;
  #session = null;
  /** Ends what runs; null while nothing does. */
  #running = null;
  #editor;
  #tools = h("div.tools.sql-tools");
  #history = h("div");
  #results = h("div.sql-results");
  #said = h("p.sr", { role: "status" });

  constructor(place, kept_text) {
    this.#kept = kept_text;
    this.#editor = h("textarea.sql-editor", {
      id: "sql-text", rows: 12, value: kept_text.text, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
      "aria-describedby": "sql-hint",
      oninput: () => (this.#kept.text = this.#editor.value),
      onkeydown: (event) => this.#key(event),
    });
    render(
      place,
      h("div.head", h("h1", "SQL")),
      h(
        "div.card.sql-card",
        h("label", { for: "sql-text" }, "Statements"),
        this.#editor,
        h("p.hint", { id: "sql-hint" }, "End each statement with ; and press Ctrl+Enter to run all of them in order. SQL runs with the rights of the gateway."),
        this.#tools,
        this.#history,
      ),
      this.#said,
      this.#results,
    );
    this.#draw();
    this.#show_nothing();
    addEventListener("pagehide", this.#close);
  }

  leave = () => {
    removeEventListener("pagehide", this.#close);
    this.#close();
  };

  #close = () => {
    this.#session?.close();
    this.#session = null;
    this.#running?.abort();
  };

  #draw() {
    const runs = this.#running !== null;
    const focused = this.#tools.contains(document.activeElement);
    render(
      this.#tools,
      h("button.primary", { type: "button", disabled: runs, onclick: () => this.#start(false) }, icon("play"), "Run"),
      h("button", { type: "button", disabled: runs, onclick: () => this.#start(true) }, icon("graph"), "Explain"),
      h("button", { type: "button", disabled: !runs, onclick: () => this.#running?.abort() }, icon("stop"), "Stop"),
      h("span.space"),
      h(
        "label.inline",
        "Jobs run",
        h(
          "select",
          { disabled: runs, onchange: (event) => this.#choose(event.target.value) },
          [
            ["local", "in the session: quick"],
            ["spark", "on Spark"],
          ].map(([value, text]) => h("option", { value, selected: value === this.#kept.executor }, text)),
        ),
      ),
    );
    // The button that was pressed may be off now; the one that follows it gets the focus.
    if (focused && (document.activeElement.disabled ?? true)) this.#tools.querySelector("button:enabled")?.focus();
    const { history } = this.#kept;
    render(
      this.#history,
      history.length > 0 &&
        h(
          "details",
          h("summary", `History (${history.length})`),
          h("ul.sql-history", history.map((text) => h("li", h("button.link", { type: "button", onclick: () => this.#put(text) }, text)))),
        ),
    );
  }

  #show_nothing() {
    render(
      this.#results,
      h(
        "div.empty",
        h("h2", "No results yet"),
        h("p", "The first statement opens a session. Leaving this page closes it, and ends its queries and its jobs that have no end."),
        h("button", { type: "button", onclick: () => this.#put(EXAMPLE) }, "Insert an example"),
      ),
    );
  }

  #put(text) {
    this.#editor.value = text;
    this.#kept.text = text;
    this.#editor.focus();
  }

  #key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.#start(false);
  }

  /** Jobs of another kind need another session. */
  #choose(executor) {
    this.#kept.executor = executor;
    this.#session?.close();
    this.#session = null;
  }

  #start(explain) {
    const text = this.#editor.value;
    if (this.#running !== null) return;
    if (!text.trim()) return this.#editor.focus();
    const { history } = this.#kept;
    if (history[0] !== text.trim()) history.unshift(text.trim());
    history.length = Math.min(history.length, MOST_HISTORY);
    this.#run(text, explain);
  }

  async #run(text, explain) {
    const running = (this.#running = new AbortController());
    if (this.#session === null || this.#session.closed) this.#session = new SqlSession({ "datastream.executor": this.#kept.executor });
    const session = this.#session;
    let block = null;
    this.#draw();
    render(this.#results, h("p.loading", { role: "status" }, "Running…"));
    try {
      const statements = await session.split(text);
      this.#results.replaceChildren();
      if (!statements.length) render(this.#results, h("div.empty", h("p", "There is no statement.")));
      for (const [place, { statement, words }] of statements.entries()) {
        running.signal.throwIfAborted();
        const skipped = explain && !EXPLAINED.includes(words[0]);
        block = result_block(place + 1, statement, (id) => this.#job(id));
        this.#results.append(block.element);
        if (!skipped) await session.run(explain ? explained(statement, words) : statement, running.signal, block.take);
        block.end(skipped ? "skipped" : "done");
        this.#said.textContent = block.told;
      }
    } catch (error) {
      this.#failed(error, running.signal.aborted, block, session);
    }
    if (this.#running === running) this.#running = null;
    this.#draw();
  }

  #failed(error, stopped, block, session) {
    const ended = session.closed && !stopped ? "\nThe session is closed. The next statement opens another one." : "";
    if (block === null) {
      render(this.#results, h("section.card", stopped ? h("p.muted", "Stopped.") : h("pre.sql-error", { role: "alert" }, error.message + ended)));
      return;
    }
    block.end(stopped ? "stopped" : "failed", stopped ? null : error.message + ended);
    if (stopped) this.#said.textContent = block.told;
  }

  /** A job of the session. It is shown in another tab: leaving this page ends the session. */
  #job(id) {
    return [
      h("p", "Job ", h("code.break", id), " has started. It is in the list of jobs, and ends with the session if it has no end of its own."),
      // The other tab takes this one's token.
      h("div.tools", h("a.button", { href: `#/jobs/${id}`, target: "_blank", rel: "opener" }, "Show the job in a new tab"), this.#button("Show the session's jobs", "SHOW JOBS;"), this.#button("Stop this job", `STOP JOB '${id}';`)),
    ];
  }

  #button(text, statement) {
    return h("button", { type: "button", onclick: () => this.#running === null && this.#run(statement, false) }, text);
  }
}

/** The statement after EXPLAIN, which takes the place of blanks before it, so that errors name the same line. */
function explained(statement, words) {
  if (words[0] === "EXPLAIN") return statement;
  const at = statement.search(/\S/);
  const line_end = statement.lastIndexOf("\n", at);
  const text = statement.slice(at);
  if (at - line_end > "EXPLAIN ".length) return `${statement.slice(0, at - "EXPLAIN ".length)}EXPLAIN ${text}`;
  if (line_end >= 0) return `${statement.slice(0, line_end)}EXPLAIN${statement.slice(line_end, at)}${text}`;
  return `EXPLAIN ${text}`;
}
