/** Light or dark: what the system prefers, until somebody chooses. */

const KEY = "datastream.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

export const is_dark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

export function toggle_theme() {
  const next = is_dark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem(KEY, next);
  changed();
}

export function on_theme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const changed = () => listeners.forEach((listener) => listener());
system.addEventListener("change", changed);

/** The value of a colour token, for what is drawn on a canvas. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
