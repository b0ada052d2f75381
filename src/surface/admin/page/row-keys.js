/**
 * Moves the focus among the openers of a table's rows: arrows up and down, Home, End.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} body
 */
export function moveByArrows(event, body) {
  const openers = [...body.querySelectorAll("button")];
  const at = openers.findIndex((opener) => opener.isSameNode(document.activeElement));
  if (at === -1) return;
  const target = openers[indexAfter(event.key, at, openers.length)];
  if (target === undefined) return;
  event.preventDefault();
  for (const opener of openers) opener.tabIndex = opener === target ? 0 : -1;
  target.focus();
}

/**
 * @param {string} key
 * @param {number} at
 * @param {number} length
 * @returns {number} -1 = the key moves nothing
 */
function indexAfter(key, at, length) {
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, length - 1);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return -1;
  }
}
