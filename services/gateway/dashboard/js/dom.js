/** Elements made by calls, and trees brought up to date in place. Text only ever becomes a text node. */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: `h("p.note", {title: "x", onclick: f}, "text", child)`. Null and false children are left out. */
export function h(name, ...rest) {
  return fill(document.createElement(...named(name)), name, rest);
}

/** The same for SVG. */
export function s(name, ...rest) {
  return fill(document.createElementNS(SVG, named(name)[0]), name, rest);
}

function named(name) {
  return [name.split(".")[0]];
}

function fill(node, name, rest) {
  const classes = name.split(".").slice(1);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  const [first, ...others] = rest;
  const plain = first !== null && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);
  if (plain) for (const [key, value] of Object.entries(first)) set(node, key, value);
  append(node, plain ? others : rest);
  return node;
}

function set(node, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key.startsWith("on")) {
    (node.handlers ??= []).push(key);
    // What a handler returns is dropped: false would prevent what the browser does by itself.
    node[key] = (event) => {
      value(event);
    };
  } else if (key === "css") {
    for (const [name, text] of Object.entries(value)) node.style.setProperty(name, text);
  } else if (key === "class") {
    node.setAttribute("class", [node.getAttribute("class"), value].filter(Boolean).join(" "));
  } else if (key === "value" || key === "checked") {
    node[key] = value;
    if (key === "checked") node.setAttribute("checked", "");
    else if (node.tagName !== "SELECT" && node.tagName !== "TEXTAREA") node.setAttribute("value", value);
  } else {
    node.setAttribute(key, value === true ? "" : String(value));
  }
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === true) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Makes the children of `parent` those given, keeping nodes, focus, scroll and what was typed where it can. */
export function render(parent, ...children) {
  const wanted = document.createDocumentFragment();
  append(wanted, children);
  children_into(parent, wanted);
}

const key_of = (node) => (node.nodeType === 1 ? node.getAttribute("data-key") : null);

function children_into(now, wanted) {
  const keyed = new Map();
  for (const child of now.childNodes) {
    const key = key_of(child);
    if (key !== null) keyed.set(key, child);
  }
  let place = now.firstChild;
  for (const next of [...wanted.childNodes]) {
    const key = key_of(next);
    let match = null;
    if (key !== null) match = keyed.get(key) ?? null;
    else if (place && key_of(place) === null && alike(place, next)) match = place;
    if (match && !alike(match, next)) match = null;
    if (!match) {
      now.insertBefore(next, place);
      continue;
    }
    if (match === place) place = place.nextSibling;
    else now.insertBefore(match, place);
    update(match, next);
  }
  while (place) {
    const after = place.nextSibling;
    place.remove();
    place = after;
  }
}

const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName;

function update(now, next) {
  if (now === next) return;
  if (now.nodeType !== 1) {
    if (now.data !== next.data) now.data = next.data;
    return;
  }
  if (now.hasAttribute("data-island") && next.hasAttribute("data-island")) return; // keeps itself up to date
  for (const { name } of [...now.attributes]) {
    if (!next.hasAttribute(name) && !OWN.has(`${now.nodeName} ${name}`) && name !== "style") now.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (name === "style" || OWN.has(`${now.nodeName} ${name}`)) continue;
    if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  }
  if (now.style.cssText !== next.style.cssText) now.style.cssText = next.style.cssText;
  for (const handler of now.handlers ?? []) now[handler] = null;
  for (const handler of next.handlers ?? []) now[handler] = next[handler];
  now.handlers = next.handlers;
  children_into(now, next);
}

/** What its user changes on an element is not taken back. */
const OWN = new Set(["DETAILS open", "DIALOG open", "INPUT value", "INPUT checked"]);
