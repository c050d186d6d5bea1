/** Short messages at the corner: errors as alerts that stay, good news that leaves. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

const GOOD_MS = 6000;
const MOST = 4;

export function good(text, link = null) {
  const toast = show("good", "status", text, link);
  setTimeout(() => toast.remove(), GOOD_MS);
}

/** An error in its own words; those for which nobody waits any more are left out. */
export function bad(error) {
  if (error?.name === "AbortError" || error?.status === 401) return;
  const text = error?.message ?? String(error);
  const there = [...place().querySelectorAll(".toast.bad .text")].some((node) => node.textContent === text);
  if (!there) show("bad", "alert", text, null);
}

function show(kind, role, text, link) {
  const toast = h(
    `div.toast.${kind}`,
    { role },
    icon(kind === "bad" ? "warn" : "check"),
    h("p.text", text),
    link && h("a", { href: link.href }, link.text),
    h("button.plain.small", { type: "button", "aria-label": "Close the message", onclick: () => toast.remove() }, icon("close")),
  );
  while (place().children.length >= MOST) place().firstChild.remove();
  place().append(toast);
  return toast;
}

const place = () => document.getElementById("toasts");
