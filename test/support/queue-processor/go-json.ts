/**
 * A JSON value as Go's encoder writes what its decoder made of it, with every object a map: keys in order of their bytes, numbers as 64-bit
 * floats, `<`, `>`, `&` and the two line separators escaped.
 */
export function goJson(value: unknown): string {
  if (typeof value === "string") return goString(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : `${value}`;
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, member]) => `${goString(key)}:${goJson(member)}`).join(",")}}`;
}

/** A struct of Go's: its members stay in order, each already encoded; those that are absent are left out. */
export function goStruct(members: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(members).filter(([, text]) => text !== undefined);
  return `{${present.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
}

/** A string as Go's encoder writes it. */
export function goString(text: string): string {
  return escapeHtml(JSON.stringify(text.toWellFormed()));
}

/** A raw value as Go's encoder passes it on: without the spaces between its tokens, and escaped like the rest. */
export function goCompact(json: string): string {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? [];
  return escapeHtml(tokens.join(""));
}

function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Whether Go's decoder would take every number: one that no 64-bit float holds is refused. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}
