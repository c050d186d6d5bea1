/** A line of a few points, without axes; the figure stands beside it. */

import { s } from "./dom.js";

const WIDTH = 88;
const HEIGHT = 22;

export function sparkline(values) {
  const known = values.map((value) => value ?? 0);
  const top = Math.max(...known, 1e-9);
  const step = WIDTH / Math.max(1, known.length - 1);
  const points = known.map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`);
  return s(
    "svg.spark",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true", focusable: "false" },
    s("path.area", { d: `M0,${HEIGHT} L${points.join(" L")} L${WIDTH},${HEIGHT} Z` }),
    s("path.line", { d: `M${points.join(" L")}` }),
  );
}
