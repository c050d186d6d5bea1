/** Sends a file to the gateway, with its progress: fetch has none for what is sent. */

import { ApiError, errors_of, fallback, headers, on, path } from "./api.js";
import { answered, silent } from "./connection.js";

const TYPES = [
  [".py", "text/x-python"],
  [".tar.gz", "application/gzip"],
  [".tgz", "application/gzip"],
  [".tar", "application/x-tar"],
  [".zip", "application/zip"],
  [".pyz", "application/zip"],
  [".whl", "application/zip"],
];

export const ACCEPTED = ".py,.zip,.pyz,.whl,.gz,.tgz";

/** Resolves to the gateway's answer. `progress(share)` is called with 0 to 1; `signal` stops it. */
export function upload(file, progress, signal) {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open("POST", `${path("artifacts", "upload")}?name=${encodeURIComponent(file.name)}`);
    const type = TYPES.find(([suffix]) => file.name.toLowerCase().endsWith(suffix))?.[1] ?? "application/octet-stream";
    for (const [name, value] of Object.entries(headers({ "Content-Type": type }))) sent.setRequestHeader(name, value);
    sent.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    sent.onload = () => {
      answered();
      let body = null;
      try {
        body = JSON.parse(sent.responseText);
      } catch {
        // The status says enough.
      }
      if (sent.status >= 200 && sent.status < 300) return resolve(body);
      const message = errors_of(body) ?? fallback(sent.status);
      if (sent.status === 401) on.unauthorized(message);
      reject(new ApiError(sent.status, message));
    };
    sent.onerror = () => {
      silent();
      reject(new ApiError(0, `${file.name} did not reach the gateway: the connection was lost.`));
    };
    sent.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    signal.addEventListener("abort", () => sent.abort());
    sent.send(file);
  });
}
