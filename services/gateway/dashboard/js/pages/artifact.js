/** One artifact: how to run it, and what its plan would be. */

import { api } from "../api.js";
import { h, render } from "../dom.js";
import { ago, bytes, counted } from "../format.js";
import { draw_plan } from "../graph/drawing.js";
import { viewport } from "../graph/viewport.js";
import { icon } from "../icons.js";
import { known, may_write } from "../session.js";
import { bad, good } from "../toasts.js";
import { key_values, words } from "../run_request.js";

export function show(place, route) {
  const stop = new AbortController();
  const preview = h("section.block.preview", { "aria-live": "polite" });
  let frame = null;
  render(place, h("p.loading", { role: "status" }, "Loading the artifact…"));
  load(route, stop.signal).then(
    ([file, before]) => {
      if (stop.signal.aborted) return;
      if (!file) {
        place.replaceChildren();
        return render(place, h("div.empty", h("h1", "There is no such artifact"), h("p", "It may have been deleted."), h("p", h("a", { href: "#/artifacts" }, "To the list of artifacts"))));
      }
      document.title = `${file.name} · datastream`;
      place.replaceChildren(...page(file, before, route, preview, show_plan));
    },
    (error) => {
      if (stop.signal.aborted) return;
      bad(error);
      render(place, h("div.empty", h("h1", "The artifact could not be loaded"), h("p", error.message)));
    },
  );

  async function show_plan(file, content, button) {
    button.disabled = true;
    frame?.end();
    preview.replaceChildren(h("p.loading", "The job's code runs up to its first execute()…"));
    try {
      const { graph } = await api.plan(file.id, content);
      if (stop.signal.aborted) return;
      const drawn = draw_plan(graph, null);
      frame = viewport(drawn);
      preview.replaceChildren(h("h2", `Plan of ${graph.name}`), h("p.muted", `${graph.batch ? "batch" : "streaming"}, parallelism ${graph.parallelism}, ${counted(graph.nodes.length, "operator")}`), h("div.graph-card", frame.element));
    } catch (error) {
      if (stop.signal.aborted) return;
      preview.replaceChildren(h("h2", "There is no plan"), h("pre.card.plan-error", error.message));
    }
    button.disabled = false;
    preview.scrollIntoView({ block: "nearest" });
  }

  return () => {
    stop.abort();
    frame?.end();
  };
}

/** The artifact, and the request of the job that shall run again. */
async function load(route, signal) {
  const [{ files }, job] = await Promise.all([api.artifacts(signal), route.query.job ? api.job(route.query.job, signal).catch(() => null) : null]);
  return [files.find((file) => file.id === route.id), job];
}

function page(file, job, route, preview, show_plan) {
  const head = [
    h("nav.crumbs", { "aria-label": "Way here" }, h("a", { href: "#/artifacts" }, "Artifacts")),
    h("div.head", h("h1", file.name), h("span.tag", file.type ?? "artifact")),
    h("p.muted", `${bytes(file.size)}, uploaded ${ago(file.uploaded)}, SHA-256 `, h("code.break", (file.sha256 ?? "").slice(0, 12))),
  ];
  if (!may_write()) return [...head, h("p.card", "This token may only read. Running a job or its plan needs the scope write.")];
  return [...head, form(file, job, route, show_plan), preview];
}

function form(file, job, route, show_plan) {
  const before = job?.request ?? {};
  const list = before.programArgsList?.length ? before.programArgsList.map(quoted).join(" ") : (before.programArgs ?? "");
  const entries = file.entry ?? [];
  // A secret is not shown to anybody, so it has to be given again.
  const hidden = (text) => String(text).includes("[hidden]");
  const given = Object.entries(before.flinkConfiguration ?? {});
  const settings = given.map(([key, value]) => [key, hidden(value) ? "" : value]).map(([key, value]) => `${key}=${value}`).join("\n");
  const secrets = [...given.filter(([, value]) => hidden(value)).map(([key]) => key), ...(hidden(list) ? ["the arguments"] : [])];
  const usable = known.overview.launchers ?? [];

  const element = h(
    "form.card.run-form",
    { onsubmit: (event) => (event.preventDefault(), run(element, file)) },
    h("h2", job ? `Run ${job.name} again` : "Run"),
    secrets.length > 0 && h("p.wrong", `Give the secrets once more: ${secrets.join(", ")}.`),
    h(
      "div.fields",
      field("name", "Job name", h("input", { type: "text", value: job?.name ?? "", placeholder: "The name in the code", autocomplete: "off" })),
      entries.length > 1 || file.type === "archive"
        ? field("module", "Entry module", entries.length ? module_choice(entries, before.pythonEntryModule) : h("input", { type: "text", value: before.pythonEntryModule ?? "", autocomplete: "off" }))
        : null,
      field("parallelism", "Parallelism", h("input", { type: "number", min: 1, max: 4096, value: before.parallelism ?? "", placeholder: "The job's own" })),
      field(
        "launcher",
        "Launcher",
        h(
          "select",
          h("option", { value: "" }, `default${default_name(usable)}`),
          usable.map((one) => h("option", { value: one.name, disabled: !one.available, selected: one.name === before.launcher }, one.available ? one.name : `${one.name}: not available`)),
        ),
      ),
      field("args", "Arguments", h("input", { type: "text", value: list, placeholder: "--topic orders", autocomplete: "off", spellcheck: "false" }), "As on a command line; quotes keep spaces."),
      field("savepoint", "Start from savepoint", h("input", { type: "text", value: route.query.savepoint ?? "", placeholder: "None", autocomplete: "off", spellcheck: "false" }), "The path or URL of a savepoint."),
      h("div.field.wide", h("label", { for: "run-settings" }, "Settings"), h("textarea", { id: "run-settings", name: "settings", rows: 3, placeholder: "datastream.epoch.max-records=40000", spellcheck: "false", "aria-describedby": "run-settings-hint" }), h("p.hint", { id: "run-settings-hint" }, "One key=value a line.")),
      h("div.field.wide", h("label.check", h("input", { type: "checkbox", name: "allow", checked: Boolean(before.allowNonRestoredState) }), "Leave out state of operators that the job no longer has")),
    ),
    h("div.actions", h("button", { type: "button", onclick: (event) => preview_plan(element, file, event.currentTarget, show_plan) }, icon("graph"), "Show the plan"), h("button.primary", { type: "submit" }, icon("play"), "Run")),
  );
  element.elements.settings.value = settings;
  return element;
}

function field(name, label, input, hint = null) {
  const id = `run-${name}`;
  input.id = id;
  input.name = name;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return h("div.field", h("label", { for: id }, label), input, hint && h("p.hint", { id: `${id}-hint` }, hint));
}

const module_choice = (entries, chosen) => h("select", entries.map((entry) => h("option", { value: entry.name, selected: entry.name === chosen }, entry.description ? `${entry.name}: ${entry.description}` : entry.name)));

const default_name = (launchers) => {
  const found = launchers.find((one) => one.default);
  return found ? ` (${found.name})` : "";
};

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

/** What the form asks for; only what was filled in. */
function content(form) {
  const { elements } = form;
  const text = (name) => elements[name]?.value.trim() || undefined;
  const settings = key_values(elements.settings.value);
  const args = words(elements.args.value);
  return {
    name: text("name"),
    pythonEntryModule: text("module"),
    parallelism: text("parallelism") ? Number(text("parallelism")) : undefined,
    launcher: text("launcher"),
    programArgsList: args.length ? args : undefined,
    savepointPath: text("savepoint"),
    allowNonRestoredState: elements.allow.checked || undefined,
    flinkConfiguration: Object.keys(settings).length ? settings : undefined,
  };
}

function preview_plan(form, file, button, show_plan) {
  try {
    const { pythonEntryModule, parallelism, programArgsList } = content(form);
    show_plan(file, { pythonEntryModule, parallelism, programArgsList }, button);
  } catch (error) {
    bad(error);
  }
}

async function run(form, file) {
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  try {
    const { jobid } = await api.run(file.id, content(form));
    good("The job is being started.");
    location.hash = `#/jobs/${jobid}`;
  } catch (error) {
    bad(error);
    button.disabled = false;
  }
}
