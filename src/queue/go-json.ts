const escaped: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** A JSON string as encoding/json of Go 1.22 and later writes it, whose readers and writers the queue is shared with. */
export function goString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (character) => escaped[character] ?? character,
  );
}

/** A map of strings; keys in the order of their bytes, as Go writes them. */
export function goStringMap(map: Readonly<Record<string, string>>): string {
  const entries = Object.entries(map).toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, value]) => `${goString(key)}:${goString(value)}`).join(",")}}`;
}
