/** @typedef {Readonly<Record<string, string | number | boolean | undefined>>} Attributes */
/** @typedef {Node | string | undefined} Child */

const svgSpace = "http://www.w3.org/2000/svg";

/**
 * An HTML element. Strings become text, never markup: names of workers and models may hold anything.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] true = present without a value, false and undefined = absent
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  describe(made, attributes);
  fill(made, ...children);
  return made;
}

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svgElement(tag, attributes = {}, ...children) {
  const made = document.createElementNS(svgSpace, tag);
  describe(made, attributes);
  fill(made, ...children);
  return made;
}

/**
 * Puts these children in place of what an element holds.
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.filter((child) => child !== undefined));
}

/**
 * Sets an element's text; leaves it alone where it is the same, so that a selection and a screen reader are not disturbed.
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * The element of the page with this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element #${id}`);
  return found;
}

/**
 * @param {Element} target
 * @param {Attributes} attributes
 */
function describe(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    target.setAttribute(name, value === true ? "" : String(value));
  }
}
