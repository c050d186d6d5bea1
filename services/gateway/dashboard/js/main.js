/** Starts the dashboard: the token, the frame around the pages, and the page that the address names. */

import { ApiError, api, on } from "./api.js";
import { show_bar } from "./bar.js";
import { connection } from "./connection.js";
import { h, render } from "./dom.js";
import { show_login } from "./pages/login.js";
import { current, follow_routes, stop_page } from "./router.js";
import { forget_token, known, take_token_from_address, token } from "./session.js";
import { on_theme } from "./theme.js";

const RETRY_MS = 3000;

async function enter() {
  stop_page();
  try {
    known.overview = await api.overview();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    render(document.getElementById("page"), h("div.empty", h("h1", "No answer yet"), h("p", error.message)));
    setTimeout(enter, RETRY_MS);
    return;
  }
  show_bar(current());
  follow_routes((route) => show_bar(route));
}

on.unauthorized = (message) => {
  stop_page();
  show_bar(null);
  show_login(message, enter);
};

addEventListener("datastream:leave", () => {
  stop_page(); // with the token, as a page may have something to close
  forget_token();
  show_bar(null);
  show_login(null, enter);
});
addEventListener("hashchange", () => {
  const before = token();
  take_token_from_address();
  if (token() !== before) enter();
});
connection.on_return(async () => {
  if (known.overview) known.overview = await api.overview().catch(() => known.overview);
});
on_theme(() => known.overview && show_bar(current()));

take_token_from_address();
enter();
