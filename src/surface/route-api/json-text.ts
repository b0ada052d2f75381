/** JSON text of strings that are written over and over: names, endpoints. Bounded. */
export class TextCache {
  readonly #texts = new Map<string, string>();

  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const json = JSON.stringify(text);
    if (this.#texts.size >= maxCachedTexts) this.#texts.clear();
    this.#texts.set(text, json);
    return json;
  }
}

const maxCachedTexts = 4_096;

/** 64-bit words, low first, as a JSON list of signed integers. */
export function signedHashes(words: Uint32Array): string {
  return `[${new BigInt64Array(aligned(words)).join(",")}]`;
}

function aligned(words: Uint32Array): ArrayBuffer {
  return words.slice().buffer;
}

/** JSON of a value that holds bigints: they are written as integers. Members that are undefined are left out. */
export function exactJson(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => exactJson(item ?? null)).join(",")}]`;
  if (value instanceof Map) return exactJson(Object.fromEntries(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${JSON.stringify(key)}:${exactJson(member)}`],
  );
  return `{${members.join(",")}}`;
}

/** `dpRank` -> `dp_rank`, at every depth; for answers that are not written by hand. */
export function withSnakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeKeys);
  if (typeof value !== "object" || value === null || value instanceof Map) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      withSnakeKeys(member),
    ]),
  );
}
