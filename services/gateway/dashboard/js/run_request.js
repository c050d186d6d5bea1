/** What people type into the form of a run, as the API wants it. */

/** Arguments as a shell would split them: spaces separate, quotes keep, a backslash takes the next character as it is. */
export function words(text) {
  const found = [];
  let word = null;
  let quote = null;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "\\" && quote !== "'" && i + 1 < text.length) word = (word ?? "") + text[++i];
    else if (quote) {
      if (c === quote) quote = null;
      else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== null) found.push(word);
      word = null;
    } else word = (word ?? "") + c;
  }
  if (quote) throw new Error(`The arguments have a ${quote} without its end.`);
  if (word !== null) found.push(word);
  return found;
}

/** Lines of key=value; empty ones and comments with # are left out. */
export function key_values(text) {
  const found = {};
  for (const [number, line] of text.split("\n").entries()) {
    const plain = line.trim();
    if (!plain || plain.startsWith("#")) continue;
    const at = plain.indexOf("=");
    if (at < 1) throw new Error(`Line ${number + 1} of the settings is not key=value: ${plain}`);
    found[plain.slice(0, at).trim()] = plain.slice(at + 1).trim();
  }
  return found;
}
