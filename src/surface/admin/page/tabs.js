import { byId } from "./elements.js";

/**
 * Tabs by the pattern of the ARIA authoring practices: the arrows, Home and End choose, Tab goes into the panel.
 * @param {readonly string[]} names each has a tab `tab-NAME` and a panel `panel-NAME`
 * @param {(name: string) => void} chosen
 * @returns {(name: string) => void} chooses one, and does not move the focus
 */
export function setUpTabs(names, chosen) {
  const tabs = names.map((name) => byId(`tab-${name}`));

  /** @param {string} name */
  const choose = (name) => {
    for (const [i, tab] of tabs.entries()) {
      const isChosen = names[i] === name;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      byId(`panel-${names[i]}`).hidden = !isChosen;
    }
    chosen(name);
  };

  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(names[i] ?? ""));
    tab.addEventListener("keydown", (event) => {
      const next = indexAfter(event.key, i, tabs.length);
      if (next === undefined) return;
      event.preventDefault();
      choose(names[next] ?? "");
      tabs[next]?.focus();
    });
  }
  return choose;
}

/**
 * @param {string} key
 * @param {number} at
 * @param {number} length
 */
function indexAfter(key, at, length) {
  if (key === "ArrowRight") return (at + 1) % length;
  if (key === "ArrowLeft") return (at + length - 1) % length;
  if (key === "Home") return 0;
  return key === "End" ? length - 1 : undefined;
}
