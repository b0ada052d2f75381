/** Python's `str.strip`. */
export function stripped(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text.charAt(from))) from++;
  while (to > from && isSpace(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** JavaScript's white space lacks U+001C to U+001F and U+0085, and has U+FEFF. */
function isSpace(unit: string): boolean {
  if (unit >= "\u001c" && unit <= "\u001f") return true;
  return unit === "\u0085" || (unit !== "\uFEFF" && unit.trim() === "");
}
