/** Figures as people read them. Unknown values are a dash. */

export const DASH = "–";
const none = (value) => value === null || value === undefined || Number.isNaN(value);

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** 1,234,567 */
export const count = (value) => (none(value) ? DASH : whole.format(value));

/** 1.23 M: three digits that count. */
export function short(value) {
  if (none(value)) return DASH;
  const size = Math.abs(value);
  if (size < 1000) return size < 10 && size % 1 ? value.toFixed(1) : String(Math.round(value));
  const step = size < 1e6 ? [1e3, "k"] : size < 1e9 ? [1e6, "M"] : size < 1e12 ? [1e9, "G"] : [1e12, "T"];
  return `${digits(value / step[0])} ${step[1]}`;
}

const digits = (value) => value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);

export const rate = (value) => (none(value) ? DASH : `${short(value)}/s`);
export const share = (value) => (none(value) ? DASH : `${Math.round(value * 100)}%`);

export function bytes(value) {
  if (none(value)) return DASH;
  let size = value;
  for (const unit of ["B", "KiB", "MiB", "GiB", "TiB"]) {
    if (Math.abs(size) < 1024 || unit === "TiB") return `${unit === "B" ? Math.round(size) : digits(size)} ${unit}`;
    size /= 1024;
  }
  return DASH;
}

/** A duration of ms: 320 ms, 4.2 s, 3 min 20 s, 5 h 12 min, 3 d 4 h. */
export function duration(ms) {
  if (none(ms)) return DASH;
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const pair = (big, unit, small, name) => (small ? `${big} ${unit} ${small} ${name}` : `${big} ${unit}`);
  if (seconds < 3600) return pair(Math.floor(seconds / 60), "min", seconds % 60, "s");
  if (seconds < 86_400) return pair(Math.floor(seconds / 3600), "h", Math.floor((seconds % 3600) / 60), "min");
  return pair(Math.floor(seconds / 86_400), "d", Math.floor((seconds % 86_400) / 3600), "h");
}

/** A duration without its smaller part, for narrow places. */
export const about = (ms) => duration(ms).split(" ").slice(0, 2).join(" ");

const two = (n) => String(n).padStart(2, "0");

/** 2026-11-23 18:05:09, in the time of this browser. */
export function time(ms) {
  if (none(ms) || ms < 0) return DASH;
  const d = new Date(ms);
  if (Number.isNaN(d.getTime())) return DASH;
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock(ms)}`;
}

/** 18:05:09 */
export function clock(ms) {
  if (none(ms)) return DASH;
  const d = new Date(ms);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** How long ago: "4 min ago". */
export function ago(ms, now = Date.now()) {
  if (none(ms) || ms < 0) return DASH;
  const gone = now - ms;
  return gone < 2000 ? "just now" : `${about(gone)} ago`;
}

export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
