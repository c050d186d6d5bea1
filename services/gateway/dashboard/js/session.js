/** The token of this browser tab, and what it may do. */

const KEY = "datastream.token";

/** What GET /overview answered last; null before. */
export const known = { overview: null };

export const token = () => sessionStorage.getItem(KEY);
export const keep_token = (text) => sessionStorage.setItem(KEY, text);
export const forget_token = () => {
  sessionStorage.removeItem(KEY);
  known.overview = null;
};

/** Whether buttons that change something are shown. */
export const may_write = () => Boolean(known.overview?.scopes?.includes("write"));

/** Whether statements of SQL may be run: not by readers, nor where the gateway opens no sessions. */
export const may_run_sql = () => may_write() && sql_is_on();
export const sql_is_on = () => known.overview?.limits?.sql_sessions > 0;

/** Takes `#token=...` over from the address, and removes it there. */
export function take_token_from_address() {
  const hash = location.hash.slice(1);
  const found = new URLSearchParams(hash.includes("?") ? hash.slice(hash.indexOf("?") + 1) : hash).get("token");
  if (found === null) return;
  if (found) keep_token(found);
  history.replaceState(null, "", location.pathname + location.search + (hash.startsWith("/") ? `#${hash.split("?")[0]}` : ""));
}
