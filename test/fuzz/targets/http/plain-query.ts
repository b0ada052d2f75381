const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * First value of each name of a query, as forms are written: by the letter of https://url.spec.whatwg.org/#urlencoded-parsing.
 * @param query without its question mark
 */
export function plainQuery(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const part of query.split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    const name = decoded(at < 0 ? part : part.slice(0, at));
    if (!values.has(name)) values.set(name, decoded(at < 0 ? "" : part.slice(at + 1)));
  }
  return values;
}

function decoded(text: string): string {
  const bytes: number[] = [];
  const given = Buffer.from(text);
  for (let at = 0; at < given.length; at++) {
    const byte = given[at] as number;
    const hex = given.toString("latin1", at + 1, at + 3);
    if (byte === 0x2b) bytes.push(0x20);
    else if (byte === 0x25 && /^[0-9a-f]{2}$/i.test(hex)) {
      bytes.push(Number.parseInt(hex, 16));
      at += 2;
    } else bytes.push(byte);
  }
  return utf8.decode(Uint8Array.from(bytes));
}
