/** The lines of a job's log, as they are written. */

import { ApiError, api } from "../api.js";

const AGAIN_MS = 2000;

/**
 * Reads a log and, with `follow`, what comes later; a lost connection is taken up again from the start of the tail.
 * `begin()` is called before the first line of each connection, `lines(parsed)` with lines, `failed(error)`, `done()`.
 */
export function read_log(jid, { lines, attempt, follow }, { begin, taken, failed, done }) {
  const stop = new AbortController();

  async function once() {
    const query = { lines: String(lines), follow: String(follow) };
    if (attempt !== null) query.attempt = String(attempt);
    const response = await api.logs(jid, query, stop.signal);
    begin();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let open = "";
    for (;;) {
      const { value, done: over } = await reader.read();
      if (over) break;
      const pieces = (open + value).split("\n");
      open = pieces.pop();
      const whole = pieces.filter((line) => line.trim()).map(parse);
      if (whole.length) taken(whole);
    }
    if (open.trim()) taken([parse(open)]);
  }

  async function run() {
    while (!stop.signal.aborted) {
      try {
        await once();
        if (!stop.signal.aborted) done();
        return;
      } catch (error) {
        if (stop.signal.aborted) return;
        if (error instanceof ApiError && error.status) {
          failed(error);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }
  run();
  return () => stop.abort();
}

/** A line as `{time, level, event, logger, more: [[key, text], ...], raw}`. */
export function parse(raw) {
  let fields;
  try {
    fields = JSON.parse(raw);
  } catch {
    fields = null;
  }
  if (fields === null || typeof fields !== "object") fields = { event: raw, level: "info" };
  const { event, level, timestamp, logger, exception, ...rest } = fields;
  const more = Object.entries(rest).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]);
  const name = String(level ?? "info").toLowerCase();
  return {
    time: timestamp ?? null,
    level: { warn: "warning", critical: "error", fatal: "error", exception: "error", trace: "debug" }[name] ?? name,
    event: typeof event === "string" ? event : JSON.stringify(event ?? rest),
    logger: logger ?? null,
    exception: exception ? String(exception) : null,
    more,
    raw,
  };
}
