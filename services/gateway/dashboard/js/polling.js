/** Repeated fetches: only while the page is shown, never two at once, slower while the gateway is away. */

import { connection } from "./connection.js";

const AWAY_MS = 3000;

/**
 * Calls `fetch_once(signal)` now and then every `every` ms, until the returned function is called.
 * It stops while the tab is hidden, and calls again at once when the tab or the gateway comes back.
 */
export function poll(every, fetch_once, failed = () => {}) {
  const stop = new AbortController();
  let timer = null;
  let busy = false;
  let again = false;

  async function turn() {
    clearTimeout(timer);
    if (stop.signal.aborted || document.hidden) return;
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    again = false;
    try {
      await fetch_once(stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) failed(error);
    }
    busy = false;
    const wait = connection.up ? every : AWAY_MS;
    if (!stop.signal.aborted) timer = setTimeout(turn, again ? 0 : wait);
  }

  const shown = () => !document.hidden && turn();
  document.addEventListener("visibilitychange", shown);
  const forget = connection.on_return(turn);
  turn();
  const end = () => {
    stop.abort();
    clearTimeout(timer);
    forget();
    document.removeEventListener("visibilitychange", shown);
  };
  end.now = turn;
  return end;
}
