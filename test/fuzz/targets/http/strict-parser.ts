/** A message as its framing has it. */
export interface ParsedMessage {
  /** Request line or status line. */
  readonly line: string;
  /** Lower-case names, values without the space around them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Position behind it. */
  readonly end: number;
}

/** What the bytes at a place are: a message, the beginning of one, or none. */
export type Parsed = ParsedMessage | "incomplete" | { readonly refused: string };

const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a value may not hold.
const fieldValue = /^[^\x00-\x08\x0a-\x1f\x7f]*$/;
const requestLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21-\x7e\x80-\xff]+ HTTP\/1\.[01]$/;
const bareLineEnd = /(^|[^\r])\n|\r(?!\n|$)/;
const statusLine = /^HTTP\/1\.[01] \d{3}( |$)/;

/**
 * Reads one message of HTTP/1.1 by the letter of RFC 9112, and refuses everything of which two readers could make two things: it takes nothing
 * that the RFC only allows a recipient to put up with. Written for the tests, with nothing of a library's.
 */
export function parseStrictly(bytes: Buffer, from: number, kind: "request" | "answer"): Parsed {
  const headEnd = bytes.indexOf("\r\n\r\n", from);
  const head = bytes.toString("latin1", from, headEnd < 0 ? bytes.length : headEnd);
  // Bare line ends are refused as soon as they are seen.
  if (bareLineEnd.test(head)) return { refused: "a bare line end" };
  if (headEnd < 0) return "incomplete";
  const [line = "", ...lines] = head.split("\r\n");
  if (!(kind === "request" ? requestLine : statusLine).test(line)) return { refused: "the first line" };
  const headers: [string, string][] = [];
  for (const each of lines) {
    const colon = each.indexOf(":");
    const value = each.slice(colon + 1);
    if (colon < 0 || !fieldName.test(each.slice(0, colon))) return { refused: `the name in ${each.slice(0, 40)}` };
    if (!fieldValue.test(value)) return { refused: "a character in a value" };
    headers.push([each.slice(0, colon).toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, "")]);
  }
  if (kind === "request" && headers.filter(([name]) => name === "host").length !== (line.endsWith("1.1") ? 1 : 0)) {
    if (line.endsWith("1.1") || headers.filter(([name]) => name === "host").length > 1) return { refused: "the host" };
  }
  return withBody({ line, headers }, bytes, headEnd + 4, kind);
}

function withBody(
  head: Pick<ParsedMessage, "line" | "headers">,
  bytes: Buffer,
  start: number,
  kind: "request" | "answer",
): Parsed {
  const of = (wanted: string) => head.headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const [lengths, codings] = [of("content-length"), of("transfer-encoding")];
  if (codings.length > 0) {
    if (lengths.length > 0) return { refused: "a length and chunks" };
    if (codings.length > 1 || codings[0]?.toLowerCase() !== "chunked") return { refused: "the coding" };
    if (!head.line.includes("HTTP/1.1")) return { refused: "chunks in HTTP/1.0" };
    const read = readChunks(bytes, start);
    return typeof read === "object" && "body" in read ? { ...head, ...read } : read;
  }
  if (lengths.length > 1) return { refused: "two lengths" };
  if (lengths[0] !== undefined && !/^\d{1,15}$/.test(lengths[0])) return { refused: "the length" };
  const isBodiless = kind === "answer" && /^HTTP\/1\.. (1..|204|304)/.test(head.line);
  const length = isBodiless ? 0 : Number(lengths[0] ?? 0);
  if (bytes.length - start < length) return "incomplete";
  return { ...head, body: bytes.subarray(start, start + length), end: start + length };
}

function readChunks(
  bytes: Buffer,
  start: number,
): Pick<ParsedMessage, "body" | "end"> | Exclude<Parsed, ParsedMessage> {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const line = bytes.toString("latin1", at, lineEnd < 0 ? bytes.length : lineEnd);
    if (lineEnd < 0) return /^[0-9a-fA-F]*(;|\r?$)/.test(line) ? "incomplete" : { refused: "the size of a chunk" };
    const size = /^([0-9a-fA-F]{1,8})(;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line)?.[1];
    if (size === undefined) return { refused: "the size of a chunk" };
    const length = Number.parseInt(size, 16);
    at = lineEnd + 2;
    if (length === 0) {
      const trailersEnd = bytes.toString("latin1", at, at + 2) === "\r\n" ? at : bytes.indexOf("\r\n\r\n", at) + 2;
      if (trailersEnd < at) return "incomplete";
      const trailers = bytes.toString("latin1", at, trailersEnd);
      if (bareLineEnd.test(trailers)) return { refused: "a bare line end" };
      const lines = trailers.split("\r\n").filter((each) => each !== "");
      if (!lines.every((each) => fieldName.test(each.split(":", 1)[0] ?? "") && each.includes(":")))
        return { refused: "a trailer" };
      return { body: Buffer.concat(parts), end: trailersEnd + 2 };
    }
    if (bytes.length < at + length + 2) return "incomplete";
    if (bytes.toString("latin1", at + length, at + length + 2) !== "\r\n") return { refused: "the end of a chunk" };
    parts.push(bytes.subarray(at, at + length));
    at += length + 2;
  }
}

/** All messages that the bytes begin with, and what follows them. */
export function parseAll(
  bytes: Buffer,
  kind: "request" | "answer",
): { readonly messages: readonly ParsedMessage[]; readonly rest: "none" | "incomplete" | string } {
  const messages: ParsedMessage[] = [];
  for (let at = 0; at < bytes.length; ) {
    const parsed = parseStrictly(bytes, at, kind);
    if (parsed === "incomplete") return { messages, rest: parsed };
    if ("refused" in parsed) return { messages, rest: parsed.refused };
    messages.push(parsed);
    at = parsed.end;
  }
  return { messages, rest: "none" };
}
