/** The bar on top: the product, the pages, how old the figures are, theme and sign-out. */

import { show_age } from "./connection.js";
import { h, render, s } from "./dom.js";
import { icon } from "./icons.js";
import { known, may_run_sql, may_write, token } from "./session.js";
import { is_dark, toggle_theme } from "./theme.js";

const PAGES = [
  ["#/", "Jobs", ["overview", "job"]],
  ["#/artifacts", "Artifacts", ["artifacts", "artifact"]],
  ["#/sql", "SQL", ["sql"], may_run_sql],
];

/** `route` is null before anybody is signed in. */
export function show_bar(route) {
  const inside = route !== null && known.overview !== null;
  render(
    document.getElementById("bar"),
    h("a.brand", { href: "#/", "aria-label": "datastream" }, logo(), h("span", "datastream")),
    inside && h("nav", { "aria-label": "Pages" }, PAGES.filter(([, , , shown]) => !shown || shown()).map(([href, text, names]) => link(href, text, names.includes(route.page)))),
    h("span.space"),
    inside && h("span.age", { id: "age", "data-island": true }),
    inside && !may_write() && h("span.tag", { title: "This token has the scope read" }, "read only"),
    h(
      "button.plain.square",
      { type: "button", "aria-label": is_dark() ? "Switch to light colours" : "Switch to dark colours", onclick: theme },
      icon(is_dark() ? "sun" : "moon"),
    ),
    inside &&
      token() !== null &&
      h(
        "button.plain.square",
        { type: "button", "aria-label": "Sign out", title: `Signed in as ${known.overview.name ?? "a token"}`, onclick: leave },
        icon("leave"),
      ),
  );
  show_age();
}

const link = (href, text, here) => h("a", { href, "aria-current": here ? "page" : null }, text);
const theme = () => {
  toggle_theme();
  if (known.overview === null) show_bar(null);
};
const leave = () => dispatchEvent(new Event("datastream:leave"));

const logo = () =>
  s(
    "svg.logo",
    { viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" },
    s("rect", { width: 32, height: 32, rx: 8 }),
    s("path", { d: "M7 11h6c4 0 4 10 8 10h4" }),
    s("path.faint", { d: "M7 21h4M20 11h5" }),
  );
