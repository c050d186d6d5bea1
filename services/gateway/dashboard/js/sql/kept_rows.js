/** The rows of a result that the page keeps: its latest changes, and the table that all changes make. */

export const MOST_ROWS = 1000;
/** Fewer of wide ones. */
const MOST_CELLS = 50_000;
const FEWEST_ROWS = 50;
/** Rows of a table that changes are folded to; of a larger one only the changes are shown. */
const MOST_FOLDED = 10_000;
const LONGEST_VALUE = 1000;

export class KeptRows {
  #table = new Map();
  /** Ids of the table's rows by their values: equal rows may be there several times. */
  #ids = new Map();
  #next = 0;
  /** The id of a row that was taken back last: the row that comes instead takes its place. */
  #hole = null;

  /** `columns`: how many there are. */
  constructor(columns) {
    this.most = Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, Math.floor(MOST_CELLS / Math.max(1, columns))));
    this.changes = [];
    this.count = 0;
    this.updates = false;
    this.folded = true;
  }

  /** Takes rows as the gateway writes them: `{kind, fields}`. */
  take(rows) {
    this.count += rows.length;
    for (const { kind, fields } of rows) {
      const change = { kind, fields: fields.map(cut) };
      this.changes.push(change);
      if (kind !== "INSERT") this.updates = true;
      if (this.folded) this.#fold(change);
    }
    if (this.changes.length > this.most) this.changes.splice(0, this.changes.length - this.most);
  }

  /** How many rows the folded table has. */
  get size() {
    return this.#table.size - (this.#hole === null ? 0 : 1);
  }

  /** The last rows of the folded table. */
  table() {
    const rows = [...this.#table].filter(([id]) => id !== this.#hole).map(([, change]) => change);
    return rows.slice(-this.most);
  }

  #fold(change) {
    const key = JSON.stringify(change.fields);
    const ids = this.#ids.get(key) ?? [];
    const adds = change.kind === "INSERT" || change.kind === "UPDATE_AFTER";
    const hole = this.#hole;
    this.#hole = null;
    if (hole !== null && change.kind !== "UPDATE_AFTER") this.#table.delete(hole);
    if (adds) {
      const id = hole !== null && change.kind === "UPDATE_AFTER" ? hole : this.#next++;
      this.#table.set(id, change);
      this.#ids.set(key, [...ids, id]);
      if (this.#table.size > MOST_FOLDED) this.#give_up();
      return;
    }
    const id = ids.pop();
    if (!ids.length) this.#ids.delete(key);
    if (id === undefined) return;
    if (change.kind === "UPDATE_BEFORE") this.#hole = id;
    else this.#table.delete(id);
  }

  #give_up() {
    this.folded = false;
    this.#table.clear();
    this.#ids.clear();
  }
}

function cut(value) {
  if (value === null || value.length <= LONGEST_VALUE) return value;
  return `${value.slice(0, LONGEST_VALUE)}… (${value.length.toLocaleString("en")} characters)`;
}
