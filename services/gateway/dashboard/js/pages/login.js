/** Asks for a token. */

import { h, render } from "../dom.js";
import { keep_token } from "../session.js";

/** Shows the page; `enter()` is called with the token kept. `message` is the gateway's answer to a token before. */
export function show_login(message, enter) {
  document.title = "Sign in · datastream";
  const place = document.getElementById("page");
  place.className = "page-login";
  const wrong = sessionStorage.getItem("datastream.tried") !== null;
  sessionStorage.removeItem("datastream.tried");
  const input = h("input", {
    type: "password", id: "token", name: "token", required: true, autocomplete: "off", spellcheck: "false",
    "aria-describedby": wrong ? "token-wrong token-hint" : "token-hint", "aria-invalid": wrong ? "true" : null,
  });
  const form = h(
    "form.login",
    {
      onsubmit: (event) => {
        event.preventDefault();
        keep_token(input.value.trim());
        sessionStorage.setItem("datastream.tried", "1");
        enter().finally(() => document.getElementById("token") ?? sessionStorage.removeItem("datastream.tried"));
      },
    },
    h("h1", "Sign in"),
    h("p.muted", "This gateway asks for a token. It stays in this tab until you close it."),
    h("label", { for: "token" }, "Token"),
    input,
    wrong && h("p.wrong", { id: "token-wrong", role: "alert" }, message ? `The gateway refused the token: ${message}` : "The gateway refused the token."),
    h("button.primary", { type: "submit" }, "Sign in"),
    h("p.hint", { id: "token-hint" }, "Whoever runs the gateway makes one with ", h("code", "datastream-gateway token create --name NAME --scope read --scope write"), "."),
  );
  place.replaceChildren();
  render(place, form);
  input.focus();
}
