/** Whether the gateway answers, and since when; shown in the bar and, when it is away, in a banner. */

import { h, render } from "./dom.js";

const state = { up: true, last: null, since: null };
const listeners = new Set();

export const connection = {
  get up() {
    return state.up;
  },
  get last() {
    return state.last;
  },
  /** Calls `listener` when the gateway comes back. */
  on_return(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function answered() {
  state.last = Date.now();
  if (state.up) return show_age();
  state.up = true;
  state.since = null;
  show();
  for (const listener of [...listeners]) listener();
}

export function silent() {
  if (state.up) {
    state.up = false;
    state.since = Date.now();
    show();
  }
}

function show() {
  document.documentElement.classList.toggle("away", !state.up);
  render(
    document.getElementById("connection"),
    !state.up &&
      h(
        "div.banner",
        h("strong", "The gateway does not answer."),
        " Figures on this page are old. Trying again every few seconds; running jobs are not affected.",
      ),
  );
  show_age();
}

/** "Updated 3 s ago", without a live region: it would be read all the time. */
export function show_age() {
  const place = document.getElementById("age");
  if (!place) return;
  const seconds = state.last === null ? null : Math.max(0, Math.round((Date.now() - state.last) / 1000));
  const text = seconds === null ? "" : seconds < 3 ? "just now" : seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
  place.className = state.up ? "age" : "age down";
  render(place, h("span.dot", { "aria-hidden": "true" }), h("span.sr", state.up ? "Connected." : "Not connected."), h("span", h("span.wide", "Updated "), text));
}

setInterval(show_age, 1000);
