/** A session of the gateway's SQL: opened when the first statement needs it, kept while its page is open, closed with that. */

import { ApiError, api } from "../api.js";
import { token } from "../session.js";

const BEAT_MS = 30_000;
/** Between pages of a query; while there is nothing to fetch, up to the longer time. */
const PAGE_MS = 200;
const FIRST_MS = 50;
const WAIT_MS = 600;
const AWAY_MS = 3000;

export class SqlSession {
  #handle = null;
  #opening = null;
  #beat = null;
  #closed = false;
  #token = token();

  /** `properties`: its settings. */
  constructor(properties) {
    this.properties = properties;
  }

  /** The statements of a text, each as `{statement, words}`. A statement has blanks before it, so that errors name its place in the text. */
  async split(text) {
    const { statements } = await this.#ask((handle) => api.split_statements(handle, text));
    return statements;
  }

  /** Runs a statement, calling `take(page)` for each page of its result, until its end or until `signal` aborts it. */
  async run(text, signal, take) {
    const { operationHandle: operation } = await this.#ask((handle) => api.execute_statement(handle, text));
    let ended = false;
    try {
      let wait = FIRST_MS;
      for (let token = 0; !ended; ) {
        signal.throwIfAborted();
        const page = await this.#ask((handle) => again(() => api.result_page(handle, operation, token, signal), signal));
        const come = page.resultType === "NOT_READY" ? 0 : page.results.data.length;
        if (page.resultType !== "NOT_READY") {
          take(page);
          token++;
        }
        ended = page.resultType === "EOS";
        wait = come ? PAGE_MS : Math.min(WAIT_MS, wait * 1.5);
        if (!ended && (page.isQueryResult || page.resultType === "NOT_READY")) await pause(wait, signal);
      }
    } finally {
      const closing = this.#closed || api.close_operation(this.#handle, operation).catch(() => {});
      if (ended) await closing;
    }
  }

  /** Ends its queries and its jobs that have no end. */
  close() {
    this.#closed = true;
    clearInterval(this.#beat);
    // Once the token does not count any more, the gateway closes it by itself.
    if (this.#handle !== null && token() === this.#token) api.close_session(this.#handle).catch(() => {});
    this.#handle = null;
  }

  /** Whether it can run no more statements. */
  get closed() {
    return this.#closed;
  }

  async #ask(request) {
    this.#opening ??= this.#open();
    await this.#opening;
    try {
      return await request(this.#handle);
    } catch (error) {
      if (error instanceof ApiError) {
        error.message = plain(error.message);
        if (is_gone(error)) this.#forget();
      }
      throw error;
    }
  }

  async #open() {
    let handle;
    try {
      handle = (await api.open_session(this.properties)).sessionHandle;
    } catch (error) {
      this.#closed = true;
      error.message = plain(error.message);
      throw error;
    }
    this.#handle = handle;
    if (this.#closed) return this.close(); // its page was left meanwhile
    this.#beat = setInterval(() => api.keep_session(handle).catch((error) => is_gone(error) && this.#forget()), BEAT_MS);
  }

  #forget() {
    this.#closed = true;
    clearInterval(this.#beat);
  }
}

/** What the gateway says of an error, without what Flink's clients expect around it. */
const plain = (text) => text.replace(/^Internal server error\.\s*/, "").replace(/^<Exception on server side:\n([^]*)\nEnd of exception on server side>$/, "$1");

const is_gone = (error) => error instanceof ApiError && /Session '[^']*' (does not exist|has ended)/.test(error.message);

/** While the gateway does not answer, the same page is asked for again: it keeps the latest one. */
async function again(request, signal) {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 0) throw error;
      await pause(AWAY_MS, signal);
    }
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
