import { element, setText } from "./elements.js";
import { count, quantity } from "./format.js";
import { LiveTable } from "./live-table.js";

/** @import { TableOptions } from "./live-table.js" */

/**
 * @template Item
 * @typedef {object} ListOptions
 * @property {Omit<TableOptions<Item>, "sortBy">} table
 * @property {string} noun of its entries, in plural, as in "no workers"
 * @property {string} empty what stands in place of an empty list
 * @property {(item: Item) => string} [textOf] what the filter looks into; absent = there is none
 * @property {Readonly<Record<string, (item: Item) => boolean>>} [choices] more filters, by their labels; the first is on at first
 * @property {Node} [more] stands beside the filters
 * @property {number} [pageSize] default 50
 */

/**
 * A table that can be filtered and sorted, one page of it at a time: as quick with thousands of entries as with one.
 * @template Item
 */
export class PagedList {
  /** @type {readonly Item[]} */
  #items = [];
  #page = 0;
  /** @type {{ column: number, direction: "ascending" | "descending" } | undefined} */
  #order;

  /** @param {ListOptions<Item>} options */
  constructor(options) {
    this.options = options;
    this.table = new LiveTable({ ...options.table, sortBy: (column) => this.#sortBy(column) });
    this.filter = element("input", { type: "search", placeholder: `Filter ${options.noun}`, spellcheck: "false" });
    this.choice = element(
      "select",
      {},
      ...Object.keys(options.choices ?? {}).map((label) => element("option", {}, label)),
    );
    this.range = element("p", { class: "range", role: "status" });
    this.back = this.#turner("Previous", -1);
    this.next = this.#turner("Next", 1);
    this.emptyText = element("p", { class: "empty" });
    this.turners = element("div", { class: "turners" }, this.back, this.next);
    const foot = element("div", { class: "list-foot" }, this.range, this.turners);
    this.root = element("div", { class: "list" }, this.#controls(), this.table.root, this.emptyText, foot);
    for (const control of [this.filter, this.choice]) control.addEventListener("input", () => this.#restart());
  }

  /** @param {readonly Item[]} items */
  update(items) {
    this.#items = items;
    this.#show();
  }

  #controls() {
    const { noun, textOf, choices, more } = this.options;
    if (textOf === undefined && choices === undefined) return undefined;
    const filter = textOf && element("label", {}, element("span", { class: "unseen" }, `Filter ${noun}`), this.filter);
    const choice = choices && element("label", {}, element("span", { class: "unseen" }, `Which ${noun}`), this.choice);
    return element("div", { class: "list-controls", role: "search" }, filter, choice, more);
  }

  /** @param {string} label @param {number} step */
  #turner(label, step) {
    const button = element("button", { type: "button", "aria-label": `${label} page of ${this.options.noun}` }, label);
    button.addEventListener("click", () => {
      this.#page += step;
      this.#show();
    });
    return button;
  }

  #restart() {
    this.#page = 0;
    this.#show();
  }

  /** Up, down, as they come. @param {number} column */
  #sortBy(column) {
    const isDescending = this.#order?.column === column && this.#order.direction === "ascending";
    const isOver = this.#order?.column === column && this.#order.direction === "descending";
    this.#order = isOver ? undefined : { column, direction: isDescending ? "descending" : "ascending" };
    this.table.showOrder(this.#order?.column, this.#order?.direction ?? "ascending");
    this.#restart();
  }

  #show() {
    const { pageSize = 50, noun, empty } = this.options;
    const found = this.#sorted(this.#found());
    const pages = Math.max(1, Math.ceil(found.length / pageSize));
    this.#page = Math.min(Math.max(0, this.#page), pages - 1);
    const start = this.#page * pageSize;
    const shown = found.slice(start, start + pageSize);
    this.table.update(shown);
    this.table.root.hidden = shown.length === 0;
    this.emptyText.hidden = shown.length > 0;
    setText(this.emptyText, this.#items.length === 0 ? empty : `No ${noun} match.`);
    setText(this.range, this.#rangeText(start, shown.length, found.length));
    this.turners.hidden = pages === 1;
    this.#enable(this.back, this.#page > 0);
    this.#enable(this.next, this.#page < pages - 1);
  }

  /** Not by `disabled`: a button that is would drop the focus. @param {HTMLButtonElement} button @param {boolean} isUsable */
  #enable(button, isUsable) {
    button.setAttribute("aria-disabled", String(!isUsable));
  }

  /** @param {number} start @param {number} shown @param {number} found */
  #rangeText(start, shown, found) {
    const { noun } = this.options;
    if (shown === 0) return "";
    const of =
      found === this.#items.length
        ? quantity(found, noun.replace(/s$/, ""), noun)
        : `${count(found)} of ${count(this.#items.length)} ${noun}`;
    return shown === found ? of : `${count(start + 1)}–${count(start + shown)} of ${of}`;
  }

  #found() {
    const { textOf, choices } = this.options;
    const words = this.filter.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const accepts = choices?.[this.choice.value];
    return this.#items.filter((item) => {
      if (accepts !== undefined && !accepts(item)) return false;
      if (words.length === 0 || textOf === undefined) return true;
      const text = textOf(item).toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  /** @param {readonly Item[]} items */
  #sorted(items) {
    const order = this.#order && this.options.table.columns[this.#order.column]?.order;
    if (order === undefined) return items;
    const sign = this.#order?.direction === "descending" ? -1 : 1;
    return items.toSorted((a, b) => sign * compare(order(a), order(b)));
  }
}

/** @param {number | string} a @param {number | string} b */
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
