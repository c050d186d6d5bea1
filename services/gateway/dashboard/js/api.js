/** The gateway's HTTP: one place that adds the token, reads errors, and notes whether the gateway answers. */

import { answered, silent } from "./connection.js";
import { forget_token, token } from "./session.js";

const LIMIT_MS = 15_000;
/** Plans run the job's code up to execute(). */
const LONG_MS = 120_000;

/** An answer that is an error, in the gateway's own words. `status` is 0 if it did not answer. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Called when a token is missing or no longer valid. */
export const on = { unauthorized: () => {} };

export const path = (...parts) => "../" + parts.map(encodeURIComponent).join("/");

export const headers = (more = {}) => (token() ? { Authorization: `Bearer ${token()}`, ...more } : more);

/** A fetch whose failures are all ApiErrors. */
export async function request(url, { limit = LIMIT_MS, signal, ...options } = {}) {
  const clock = limit ? AbortSignal.timeout(limit) : null;
  const signals = [clock, signal].filter(Boolean);
  let response;
  try {
    response = await fetch(url, {
      cache: "no-store",
      credentials: "omit",
      ...options,
      headers: headers(options.headers),
      signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    silent();
    throw new ApiError(0, "The gateway does not answer. Check that it runs and that this machine reaches it.");
  }
  if ([502, 503, 504].includes(response.status) && !is_json(response)) silent();
  else answered();
  if (response.ok) return response;
  const message = await error_text(response);
  if (response.status === 401 && token() !== null) forget_token();
  if (response.status === 401) on.unauthorized(message);
  throw new ApiError(response.status, message);
}

const is_json = (response) => (response.headers.get("content-type") ?? "").includes("json");

async function error_text(response) {
  try {
    return errors_of(await response.json()) ?? fallback(response.status);
  } catch {
    return fallback(response.status);
  }
}

/** The text of an error's body, null if it holds none. */
export function errors_of(body) {
  const errors = body?.errors ?? body?.detail;
  if (Array.isArray(errors)) return errors.map((e) => (typeof e === "string" ? e : (e?.msg ?? JSON.stringify(e)))).join("\n");
  return typeof errors === "string" ? errors : null;
}

export const fallback = (status) =>
  ({
    401: "This needs a valid token.",
    403: "This token may only read. Ask for one with the scope write.",
    404: "There is no such thing here any more.",
    413: "This is larger than the gateway takes.",
    429: "Too many requests. Wait a moment, and try again.",
  })[status] ?? `The gateway answered with status ${status}.`;

async function json(url, options) {
  const response = await request(url, options);
  const text = await response.text();
  return text ? JSON.parse(text) : {};
}

const body = (method, content, more = {}) => ({
  method,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(content),
  ...more,
});

export const api = {
  overview: (signal) => json(path("overview"), { signal }),
  jobs: (signal) => json(path("jobs", "overview"), { signal }),
  job: (jid, signal) => json(path("jobs", jid), { signal }),
  metrics: (jid, since, signal) => json(path("jobs", jid, "metrics") + (since ? `?since=${since}` : ""), { signal }),
  exceptions: (jid, signal) => json(path("jobs", jid, "exceptions"), { signal }),
  checkpoints: (jid, signal) => json(path("jobs", jid, "checkpoints"), { signal }),
  logs: (jid, query, signal) => request(path("jobs", jid, "logs") + "?" + new URLSearchParams(query), { signal, limit: 0 }),
  cancel: (jid) => json(path("jobs", jid) + "?mode=cancel", { method: "PATCH" }),
  stop: (jid, directory, drain) => json(path("jobs", jid, "stop"), body("POST", { targetDirectory: directory, drain })),
  savepoint: (jid, directory) =>
    json(path("jobs", jid, "savepoints"), body("POST", { "target-directory": directory, "cancel-job": false })),
  forget: (jid) => json(path("jobs", jid), { method: "DELETE" }),
  artifacts: (signal) => json(path("artifacts"), { signal }),
  delete_artifact: (id) => json(path("artifacts", id), { method: "DELETE" }),
  plan: (id, content) => json(path("artifacts", id, "plan"), body("POST", content, { limit: LONG_MS })),
  run: (id, content) => json(path("artifacts", id, "run"), body("POST", content, { limit: LONG_MS })),
  open_session: (properties) => json(path("sessions"), body("POST", { properties }, { limit: LONG_MS })),
  keep_session: (session) => json(path("sessions", session, "heartbeat"), { method: "POST" }),
  // It is also sent while the tab closes.
  close_session: (session) => json(path("sessions", session), { method: "DELETE", keepalive: true }),
  split_statements: (session, statement) => json(path("sessions", session, "split-statements"), body("POST", { statement }, { limit: LONG_MS })),
  execute_statement: (session, statement) => json(path("sessions", session, "statements"), body("POST", { statement }, { limit: LONG_MS })),
  result_page: (session, operation, token, signal) =>
    json(path("sessions", session, "operations", operation, "result", String(token)) + "?rowFormat=PLAIN_TEXT", { signal, limit: LONG_MS }),
  close_operation: (session, operation) => json(path("sessions", session, "operations", operation, "close"), { method: "DELETE" }),
};
