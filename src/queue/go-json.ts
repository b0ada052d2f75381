const escaped: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** A JSON string as Go's encoding/json writes it, whose readers and writers the queue is shared with. */
export function goString(text: string): string {
  return JSON.stringify(text.toWellFormed())
    .replace(/[<>&\u2028\u2029]/g, (character) => escaped[character] ?? character)
    .replace(
      /\\b|\\f/g,
      (short, at: number, whole: string) => (isEscape(whole, at) ? controls[short] : short) ?? short,
    );
}

/** Go has no short form of these two. */
const controls: Readonly<Record<string, string>> = { "\\b": "\\u0008", "\\f": "\\u000c" };

/** Whether the backslash at `at` begins an escape: an even number of them stands before it. */
function isEscape(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 0;
}

/** A map of strings; keys in the order of their bytes, as Go writes them. */
export function goStringMap(map: Readonly<Record<string, string>>): string {
  const entries = Object.entries(map).toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, value]) => `${goString(key)}:${goString(value)}`).join(",")}}`;
}
