/** Questions before something is changed. The browser keeps focus inside, and gives it back. */

import { h } from "./dom.js";

let numbers = 0;

/**
 * Asks; resolves to the form's values, or null if it was left.
 * `fields`: {name, label, type: "text" | "checkbox", hint, placeholder}.
 */
export function ask({ title, text, confirm, danger = false, fields = [] }) {
  const id = `dialog-${++numbers}`;
  return new Promise((resolve) => {
    const form = h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          const values = {};
          for (const field of fields) {
            const input = form.elements[field.name];
            values[field.name] = field.type === "checkbox" ? input.checked : input.value.trim();
          }
          dialog.result = values;
          dialog.close();
        },
      },
      h("h2", { id }, title),
      [text].flat().map((line) => h("p", line)),
      fields.map((field) => field_of(field, id)),
      h(
        "div.actions",
        h("button", { type: "button", onclick: () => dialog.close() }, "Back"),
        h(`button.${danger ? "danger" : "primary"}`, { type: "submit" }, confirm),
      ),
    );
    const dialog = h(
      "dialog",
      {
        "aria-labelledby": id,
        onclose: () => {
          dialog.remove();
          resolve(dialog.result ?? null);
        },
        onclick: (event) => event.target === dialog && dialog.close(),
      },
      form,
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

function field_of(field, id) {
  const own = `${id}-${field.name}`;
  const hint = field.hint && h("p.hint", { id: `${own}-hint` }, field.hint);
  const described = field.hint ? `${own}-hint` : null;
  if (field.type === "checkbox")
    return h("div.field", h("label.check", h("input", { type: "checkbox", name: field.name, "aria-describedby": described }), field.label), hint);
  const input = h("input", { type: "text", id: own, name: field.name, placeholder: field.placeholder, autocomplete: "off", spellcheck: "false", "aria-describedby": described });
  return h("div.field", h("label", { for: own }, field.label), input, hint);
}
