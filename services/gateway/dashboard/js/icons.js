/** Icons as strokes on 16 by 16; they stand beside words, or on buttons with a label. */

import { s } from "./dom.js";

const PATHS = {
  sun: "M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  leave: "M6 2H3v12h3M7 8h7M11 5l3 3-3 3",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  play: "M4.5 2.5v11l9-5.5z",
  stop: "M3.5 3.5h9v9h-9z",
  save: "M3 2.5h8l2.5 2.5v8.5h-11v-11M5.5 2.5v3.5h5v-3.5M5 13.5v-4h6v4",
  check: "M3 8.5l3.5 3.5L13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  ring: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11",
  turn: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.5l2 1.5",
  slash: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6",
  upload: "M8 10.5v-8M4.5 6L8 2.5 11.5 6M2.5 10.5v3h11v-3",
  download: "M8 2.5v8M4.5 7L8 10.5 11.5 7M2.5 10.5v3h11v-3",
  trash: "M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.8v4M9.3 6.8v4",
  graph: "M2 3h4v3H2zM2 10h4v3H2zM10 6.5h4v3h-4zM6 4.5c3 0 1 3.5 4 3.5M6 11.5c3 0 1-3.5 4-3.5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5L14 14",
  file: "M4 1.5h5.5L12.5 4.5v10h-8.5z M9 1.5V5h3.5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  warn: "M8 2L14.5 13.5h-13zM8 6.5v3.5M8 11.5v.4",
};

export const icon = (name) =>
  s("svg.icon", { viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, s("path", { d: PATHS[name] }));
