/** Light or dark: what the system prefers, until somebody chooses. */

const KEY = "datastream.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

export const is_dark = () => document.documentElement.dataset.theme === "dark";

export function toggle_theme() {
  const next = is_dark() ? "light" : "dark";
  localStorage.setItem(KEY, next);
  show(next);
}

function show(theme) {
  document.documentElement.dataset.theme = theme;
  listeners.forEach((listener) => listener());
}

export function on_theme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

system.addEventListener("change", () => {
  if (!["dark", "light"].includes(localStorage.getItem(KEY))) show(system.matches ? "dark" : "light");
});

/** The value of a colour token, for what is drawn on a canvas. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
