/** Pan and zoom of a drawn plan: drag, wheel with Ctrl, pinch by scrolling, buttons, and keys. */

import { h } from "../dom.js";
import { icon } from "../icons.js";

const STEP = 1.25;
const MOST = 2;
/** Below this names cannot be read: then it is scrolled instead. */
const READABLE = 0.62;

/** A scrolling frame around the drawing, which fits the width at first if the text can still be read. */
export function viewport({ svg, box }) {
  const frame = h("div.viewport", { tabindex: "0", role: "region", "aria-label": "Graph, scrolls in both directions" }, svg);
  let scale = 1;
  const least = () => Math.min(0.3, frame.clientWidth / box.width);

  function zoom(next, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
    const before = scale;
    scale = Math.min(MOST, Math.max(least(), next));
    svg.setAttribute("width", box.width * scale);
    svg.setAttribute("height", box.height * scale);
    frame.scrollLeft = ((frame.scrollLeft + x) * scale) / before - x;
    frame.scrollTop = ((frame.scrollTop + y) * scale) / before - y;
  }

  const whole = () => (frame.clientWidth - 2) / box.width;
  const fit = () => zoom(Math.min(1.15, whole()));
  const first = () => zoom(Math.min(1.15, Math.max(READABLE, whole())));

  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const edge = frame.getBoundingClientRect();
      zoom(scale * Math.exp(-event.deltaY / 300), event.clientX - edge.left, event.clientY - edge.top);
    },
    { passive: false },
  );
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(scale * STEP);
    else if (event.key === "-") zoom(scale / STEP);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  drag(frame);

  const button = (name, label, onclick) => h("button.square", { type: "button", "aria-label": label, title: label, onclick }, icon(name));
  const controls = h(
    "div.zoom",
    { role: "group", "aria-label": "Size of the graph" },
    button("minus", "Smaller", () => zoom(scale / STEP)),
    button("plus", "Larger", () => zoom(scale * STEP)),
    button("fit", "Fit to the width", fit),
  );
  let width = 0;
  const watcher = new ResizeObserver(() => {
    if (!width && frame.clientWidth) first();
    width = frame.clientWidth;
  });
  watcher.observe(frame);
  return { element: h("div.graph", { "data-island": true }, frame, controls), end: () => watcher.disconnect() };
}

/** By mouse; fingers scroll natively. */
function drag(frame) {
  let from = null;
  let moved = false;
  frame.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    from = [event.clientX, event.clientY, frame.scrollLeft, frame.scrollTop];
    moved = false;
  });
  frame.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
    if (!moved && Math.abs(dx) + Math.abs(dy) < 5) return;
    if (!moved) frame.setPointerCapture(event.pointerId);
    moved = true;
    frame.classList.add("dragged");
    frame.scrollLeft = from[2] - dx;
    frame.scrollTop = from[3] - dy;
  });
  const end = () => {
    from = null;
    frame.classList.remove("dragged");
  };
  frame.addEventListener("pointerup", end);
  frame.addEventListener("pointercancel", end);
  frame.addEventListener(
    "click",
    (event) => {
      if (moved) event.stopPropagation();
      moved = false;
    },
    true,
  );
}
