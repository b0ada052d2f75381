import { element, setText } from "./elements.js";

/** @typedef {{ kind: string, share: number }} BarPart share of the whole bar, 0 to 1 */

/**
 * Draws a bar of several parts and its figure into a cell; the figure alone is what a screen reader tells.
 * @param {HTMLElement} cell
 * @param {readonly BarPart[]} parts
 * @param {string} figure
 * @param {"short" | "medium" | "long"} [length] of such figures: bars of one column are of one length, then
 */
export function drawBar(cell, parts, figure, length = "short") {
  let track = cell.querySelector(".bar");
  if (track === null) {
    track = element("span", { class: "bar", "aria-hidden": "true" });
    cell.classList.add("bar-cell");
    cell.replaceChildren(track, element("span", { class: "figure" }));
  }
  while (track.children.length < parts.length) track.append(element("span"));
  while (track.children.length > parts.length) track.lastElementChild?.remove();
  for (const [i, { kind, share }] of parts.entries()) {
    const part = /** @type {HTMLElement} */ (track.children[i]);
    part.className = `part ${kind}`;
    part.style.width = `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`;
  }
  const words = /** @type {Element} */ (cell.lastElementChild);
  words.className = `figure ${length}`;
  setText(words, figure);
}

/**
 * What the colours of bars mean.
 * @param {readonly (readonly [kind: string, meaning: string])[]} entries
 */
export function legend(entries) {
  const items = entries.map(([kind, meaning]) =>
    element("li", {}, element("span", { class: `key ${kind}`, "aria-hidden": "true" }), meaning),
  );
  return element("ul", { class: "legend" }, ...items);
}
