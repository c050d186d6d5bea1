/** Pages by the address's hash: #/ , #/jobs/ID/TAB, #/artifacts, #/artifacts/ID, #/sql. */

import { h, render } from "./dom.js";

const loads = {
  overview: () => import("./pages/overview.js"),
  job: () => import("./pages/job.js"),
  artifacts: () => import("./pages/artifacts.js"),
  artifact: () => import("./pages/artifact.js"),
  sql: () => import("./pages/sql.js"),
};

let leave = null;
let turn = 0;
/** Called with the route when it changes; null while nobody is signed in: then addresses are not followed. */
let changed = null;
let shown = null;

/** The route that the address names now. */
export function current() {
  const [way, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [first = "", id, tab] = way.split("/").map(decode);
  const extra = Object.fromEntries(new URLSearchParams(query));
  if (first === "jobs" && id) return { page: "job", jid: id, tab: tab || "graph", query: extra };
  if (first === "artifacts" && id) return { page: "artifact", id, query: extra };
  if (first === "artifacts") return { page: "artifacts", query: extra };
  if (first === "sql") return { page: "sql", query: extra };
  if (first === "" || first === "jobs") return { page: "overview", query: extra };
  return { page: "unknown", query: extra };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Shows the page of the address, now and whenever the address changes, until `stop_page`. */
export function follow_routes(when_changed) {
  changed = when_changed;
  show();
}

/** Ends the page that is shown, with its polling. */
export function stop_page() {
  turn++;
  leave?.();
  leave = null;
  shown = null;
  changed = null;
}

addEventListener("hashchange", () => {
  if (changed !== null && !location.hash.startsWith("#token=")) show();
});

async function show() {
  const route = current();
  const place = document.getElementById("page");
  const stays = shown !== null && shown.page === route.page && (shown.jid ?? shown.id) === (route.jid ?? route.id);
  if (stays && leave?.moved?.(route)) {
    shown = route;
    changed(route);
    return;
  }
  const mine = ++turn;
  leave?.();
  leave = null;
  const first = shown === null;
  shown = route;
  changed(route);
  if (route.page === "unknown") {
    document.title = "Not found · datastream";
    render(place, h("div.empty", h("h1", "There is no such page"), h("p", h("a", { href: "#/" }, "To the list of jobs"))));
    return;
  }
  const page = await loads[route.page]();
  if (mine !== turn) return;
  place.replaceChildren();
  place.className = `page-${route.page}`;
  leave = page.show(place, route);
  if (!first) {
    scrollTo(0, 0);
    place.focus({ preventScroll: true });
  }
}
