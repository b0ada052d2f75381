import { element } from "./elements.js";

/**
 * A list of names and values.
 * @param {readonly (readonly [name: string, value: string])[]} facts
 */
export function factList(facts) {
  const rows = facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  return element("dl", { class: "facts" }, ...rows);
}
