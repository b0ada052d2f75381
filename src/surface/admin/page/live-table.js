import { element, setText } from "./elements.js";
import { moveByArrows } from "./row-keys.js";

/**
 * @template Item
 * @typedef {object} Column
 * @property {string} label
 * @property {"number" | "wide" | "name"} [kind] numbers stand at the right; wide ones take the room that is left; names may be cut anywhere
 * @property {(item: Item) => string} [text]
 * @property {(cell: HTMLElement, item: Item) => void} [draw] in place of `text`; called again for each update
 * @property {(item: Item) => string} [below] a second, quieter line
 * @property {(item: Item) => number | string} [order] what the column is sorted by; absent = it cannot be
 */

/**
 * @template Item
 * @typedef {object} TableOptions
 * @property {string} caption for those who do not see it
 * @property {readonly Column<Item>[]} columns
 * @property {(item: Item) => string} keyOf
 * @property {(item: Item, opener: HTMLElement) => void} [open] rows can be opened: by a click, and by Enter on the first cell
 * @property {(item: Item) => string} [markOf] class of the row
 * @property {(column: number) => void} [sortBy]
 */

/**
 * A table whose rows stay the same elements while their figures change: focus, selection and scrolling survive an update.
 * @template Item
 */
export class LiveTable {
  /** @param {TableOptions<Item>} options */
  constructor(options) {
    this.options = options;
    /** @type {Map<string, { row: HTMLTableRowElement, item: Item }>} */
    this.rows = new Map();
    this.headers = options.columns.map((column, i) => this.#header(column, i));
    this.body = element("tbody", { role: "rowgroup" });
    const head = element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...this.headers));
    const caption = element("caption", { class: "unseen" }, options.caption);
    this.root = element("table", { role: "table", class: "stacked" }, caption, head, this.body);
    this.body.addEventListener("keydown", (event) => moveByArrows(event, this.body));
  }

  /** @param {readonly Item[]} items in the order of their rows */
  update(items) {
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    const keys = new Set(items.map(this.options.keyOf));
    for (const [key, { row }] of this.rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.rows.delete(key);
    }
    for (const [i, item] of items.entries()) this.#place(item, i);
    // A row that is moved loses the focus.
    if (focused instanceof HTMLElement && focused !== document.activeElement) this.#refocus(focused);
    this.#keepOneInTabOrder();
  }

  /**
   * @param {number | undefined} column undefined = as they come
   * @param {"ascending" | "descending"} direction
   */
  showOrder(column, direction) {
    for (const [i, header] of this.headers.entries()) {
      if (i === column) header.setAttribute("aria-sort", direction);
      else header.removeAttribute("aria-sort");
    }
  }

  /** @param {Column<Item>} column @param {number} index */
  #header({ label, kind, order }, index) {
    const { sortBy } = this.options;
    const attributes = { role: "columnheader", scope: "col", class: kind };
    if (order === undefined || sortBy === undefined) return element("th", attributes, label);
    const button = element("button", { type: "button", class: "sorter" }, label);
    button.addEventListener("click", () => sortBy(index));
    return element("th", attributes, button);
  }

  /** @param {Item} item @param {number} index */
  #place(item, index) {
    const key = this.options.keyOf(item);
    const kept = this.rows.get(key);
    const row = kept?.row ?? this.#row(key);
    this.rows.set(key, { row, item });
    row.className = this.options.markOf?.(item) ?? "";
    for (const [i, column] of this.options.columns.entries()) {
      const cell = row.cells[i];
      const target = cell?.firstElementChild;
      if (!(target instanceof HTMLElement)) continue;
      if (column.draw !== undefined) column.draw(target, item);
      else setText(target, column.text?.(item) ?? "");
      if (column.below !== undefined && cell?.lastElementChild) setText(cell.lastElementChild, column.below(item));
    }
    const before = this.body.children[index] ?? null;
    if (before !== row) this.body.insertBefore(row, before);
  }

  /** @param {string} key */
  #row(key) {
    const { columns, open } = this.options;
    const row = element("tr", { role: "row" });
    for (const [i, { label, kind, below }] of columns.entries()) {
      const isOpener = i === 0 && open !== undefined;
      const content = element(isOpener ? "button" : "span", isOpener ? { type: "button", class: "opener" } : {});
      const line = below && element("span", { class: "below" });
      row.append(element("td", { role: "cell", class: kind, "data-label": label }, content, line));
    }
    if (open !== undefined) row.addEventListener("click", () => this.#open(key));
    return row;
  }

  /** @param {string} key */
  #open(key) {
    const found = this.rows.get(key);
    const opener = found?.row.querySelector("button");
    if (found !== undefined && opener) this.options.open?.(found.item, opener);
  }

  /** @param {HTMLElement} focused */
  #refocus(focused) {
    const target = focused.isConnected ? focused : this.body.querySelector("button");
    target?.focus({ preventScroll: true });
  }

  /** Tab goes to one row, the arrows to the others. */
  #keepOneInTabOrder() {
    const openers = [...this.body.querySelectorAll("button")];
    const current =
      openers.find((opener) => opener === document.activeElement) ?? openers.find((o) => o.tabIndex === 0);
    for (const opener of openers) opener.tabIndex = opener === (current ?? openers[0]) ? 0 : -1;
  }
}
