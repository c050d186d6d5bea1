/** Uploaded scripts and archives. */

import { api } from "../api.js";
import { ask } from "../dialogs.js";
import { h, render } from "../dom.js";
import { ago, bytes, share, time } from "../format.js";
import { icon } from "../icons.js";
import { poll } from "../polling.js";
import { known, may_write } from "../session.js";
import { bad, good } from "../toasts.js";
import { ACCEPTED, upload } from "../upload.js";

const EVERY_MS = 10_000;

export function show(place) {
  document.title = "Artifacts · datastream";
  const view = { files: null, uploads: [], over: false };
  const draw = () => render(place, page(view, take, (file) => remove(file, stop)));

  async function take(files) {
    for (const file of files) {
      const one = { name: file.name, share: 0, abort: new AbortController() };
      view.uploads.push(one);
      draw();
      try {
        const limit = known.overview.limits?.upload_bytes;
        if (limit && file.size > limit) throw new Error(`${file.name} has ${bytes(file.size)}; the gateway takes ${bytes(limit)} at most.`);
        const done = await upload(file, (part) => ((one.share = part), draw()), one.abort.signal);
        good(`${file.name} is uploaded.`, { href: `#/artifacts/${encodeURIComponent(done.id)}`, text: "Run it" });
      } catch (error) {
        bad(error);
      }
      view.uploads = view.uploads.filter((other) => other !== one);
      draw();
      stop.now();
    }
  }

  draw();
  const stop = poll(
    EVERY_MS,
    async (signal) => {
      view.files = (await api.artifacts(signal)).files;
      draw();
    },
    (error) => error.status && bad(error),
  );
  return () => {
    stop();
    view.uploads.forEach((one) => one.abort.abort());
  };
}

function page(view, take, remove) {
  return [
    h("div.head", h("h1", "Artifacts")),
    may_write() && drop_zone(view, take),
    view.files === null
      ? h("p.loading", { role: "status" }, "Loading artifacts…")
      : view.files.length === 0
        ? h("div.empty", h("h2", "No artifacts yet"), h("p", may_write() ? "Upload a Python script that calls env.execute(), or an archive of one with its modules. Then run it from here." : "Nothing has been uploaded. This token may only read."))
        : table(view.files, remove),
  ];
}

function drop_zone(view, take) {
  const limit = known.overview.limits?.upload_bytes;
  const over = (event, there) => {
    event.preventDefault();
    event.currentTarget.classList.toggle("over", there);
  };
  return h(
    "section.drop",
    {
      "aria-label": "Upload",
      ondragover: (event) => over(event, true),
      ondragleave: (event) => over(event, false),
      ondrop: (event) => {
        over(event, false);
        take([...event.dataTransfer.files]);
      },
    },
    h("input.sr", {
      type: "file", id: "file", multiple: true, accept: ACCEPTED, "aria-label": "File to upload", tabindex: "-1",
      onchange: (event) => {
        take([...event.target.files]);
        event.target.value = "";
      },
    }),
    h("button.primary", { type: "button", onclick: () => document.getElementById("file").click() }, icon("upload"), "Upload a file"),
    h("p.muted", h("span.desktop", "or drop it here. "), `A script (.py) or an archive (.zip, .pyz, .whl, .tar.gz)${limit ? `, up to ${bytes(limit)}` : ""}.`),
    view.uploads.map((one) =>
      h(
        "div.upload",
        { "data-key": one.name },
        h("span.break", one.name),
        h("progress", { max: 1, value: one.share, "aria-label": `Upload of ${one.name}` }),
        h("span", one.share < 1 ? share(one.share) : "checking…"),
        h("button.plain.small", { type: "button", "aria-label": `Stop the upload of ${one.name}`, onclick: () => one.abort.abort() }, icon("close")),
      ),
    ),
  );
}

function table(files, remove) {
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": "Table of artifacts" },
    h(
      "table.jobs.artifacts",
      h("caption.sr", "Artifacts, newest first"),
      h("thead", h("tr", ["Name", "Type", "Entry modules"].map((text) => h("th", { scope: "col" }, text)), h("th.right", { scope: "col" }, "Size"), h("th", { scope: "col" }, "Uploaded"), h("th", { scope: "col" }, h("span.sr", "Actions")))),
      h("tbody", files.map((file) => row(file, remove))),
    ),
  );
}

function row(file, remove) {
  return h(
    "tr",
    { "data-key": file.id },
    h("th", { scope: "row" }, h("a.job-name", { href: `#/artifacts/${encodeURIComponent(file.id)}` }, file.name)),
    h("td", { "data-label": "Type" }, file.type ?? "–"),
    h("td.wrap", { "data-label": "Entry modules" }, (file.entry ?? []).map((entry) => entry.name).slice(0, 6).join(", ") || "–"),
    h("td.right", { "data-label": "Size" }, bytes(file.size)),
    h("td", { "data-label": "Uploaded", title: time(file.uploaded) }, ago(file.uploaded)),
    h(
      "td.right.row-actions",
      may_write() && h("a.button", { href: `#/artifacts/${encodeURIComponent(file.id)}`, "aria-label": `Run ${file.name}` }, icon("play"), "Run"),
      may_write() && h("button.danger.square", { type: "button", "aria-label": `Delete ${file.name}`, title: "Delete", onclick: () => remove(file) }, icon("trash")),
    ),
  );
}

async function remove(file, polling) {
  const yes = await ask({ title: `Delete ${file.name}?`, text: "Jobs that have ended keep their results; they can not be run again from here.", confirm: "Delete", danger: true });
  if (!yes) return;
  try {
    await api.delete_artifact(file.id);
    good(`${file.name} is deleted.`);
    polling.now();
  } catch (error) {
    bad(error);
  }
}
