import { type AnswerHead, isRoutingHeader } from "../../http/index.ts";
import type { RequestHeaders } from "../../router/index.ts";

/** Headers that belong to a connection and not to what passes over it. Source: RFC 9110, section 7.6.1. */
const connectionHeaders = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** What is not forwarded as it came: the connection to the worker has its own. */
const ownedByDispatch: ReadonlySet<string> = new Set([...connectionHeaders, "host", "content-length", "expect"]);

const ownedByConnection: ReadonlySet<string> = new Set(connectionHeaders);

/** Who decides by which of a client's headers. */
export interface ForwardingRules {
  /** Whether the client may choose by headers; otherwise they are neither seen nor forwarded. */
  readonly trustsClient: boolean;
  /** Whether `authorization` and `x-api-key` go on. */
  readonly forwardsCredentials: boolean;
}

const credentialNames: ReadonlySet<string> = new Set(["authorization", "x-api-key"]);

/** The headers of a client's request, as they came. */
export class ClientHeaders implements RequestHeaders {
  readonly #raw: readonly string[];
  readonly #rules: ForwardingRules;
  /** In lower case; "" = neither seen nor forwarded. */
  readonly #names: string[];

  /** @param raw names and values in turn */
  constructor(raw: readonly string[], rules: ForwardingRules) {
    this.#raw = raw;
    this.#rules = rules;
    const names: string[] = new Array(raw.length >> 1);
    for (let at = 0; at < names.length; at++) {
      const name = (raw[2 * at] as string).toLowerCase();
      names[at] = !rules.trustsClient && isRoutingHeader(name) ? "" : name;
    }
    this.#names = names;
  }

  get(lowerName: string): string | undefined {
    const at = this.#names.indexOf(lowerName);
    return at < 0 ? undefined : this.#raw[2 * at + 1];
  }

  getAll(lowerName: string): readonly string[] {
    const values: string[] = [];
    this.#names.forEach((name, at) => {
      if (name === lowerName) values.push(this.#raw[2 * at + 1] as string);
    });
    return values;
  }

  /**
   * The lines that go on to a worker, byte for byte, names and values in turn.
   * @param set lines that take the place of the client's of these names, lower-case
   */
  forwarded(set: readonly (readonly [name: string, value: string])[]): string[] {
    const nominated = nominatedIn(connectionIn(this.#raw));
    const lines: string[] = [];
    for (let at = 0; at < this.#names.length; at++) {
      const name = this.#names[at] as string;
      if (name === "" || ownedByDispatch.has(name) || nominated?.has(name)) continue;
      if (!this.#rules.forwardsCredentials && credentialNames.has(name)) continue;
      if (set.length > 0 && set.some(([own]) => own === name)) continue;
      lines.push(this.#raw[2 * at] as string, this.#raw[2 * at + 1] as string);
    }
    for (const [name, value] of set) lines.push(name, value);
    return lines;
  }
}

/** Headers that a `connection` header makes ones of the connection; undefined = the usual words only. */
function nominatedIn(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return undefined;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

/**
 * The head of a worker's answer without what belongs to the connection.
 * @param endpoint the worker's: where a header names it as a place, only the path is left
 */
export function answerHead(status: number, reason: string, raw: readonly string[], endpoint: string): AnswerHead {
  const lines: string[] = [];
  const seen = { mediaType: "", isEncoded: false, contentLength: undefined as number | undefined, hasRequestId: false };
  const nominated = nominatedIn(connectionIn(raw));
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    let value = raw[at + 1] as string;
    if (ownedByConnection.has(name) || nominated?.has(name)) continue;
    if (name === "content-type") seen.mediaType = (value.split(";", 1)[0] as string).trim().toLowerCase();
    else if (name === "content-encoding") seen.isEncoded = value.trim().toLowerCase() !== "identity";
    else if (name === "content-length") seen.contentLength = Number(value);
    else if (name === "x-request-id") seen.hasRequestId = true;
    else if (name === "location" || name === "content-location") value = withoutAuthority(value, endpoint);
    lines.push(raw[at] as string, value);
  }
  return { status, reason, lines, ...seen };
}

/** The same head for a body whose length is not known any more. */
export function withoutLength(head: AnswerHead): AnswerHead {
  if (head.contentLength === undefined) return head;
  const lines: string[] = [];
  for (let at = 0; at + 1 < head.lines.length; at += 2) {
    const name = head.lines[at] as string;
    if (name.toLowerCase() !== "content-length") lines.push(name, head.lines[at + 1] as string);
  }
  return { ...head, lines, contentLength: undefined };
}

/** The header `connection`, all lines of it. */
function connectionIn(raw: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    if (name.length !== "connection".length || name.toLowerCase() !== "connection") continue;
    const value = raw[at + 1] as string;
    found = found === undefined ? value : `${found},${value}`;
  }
  return found;
}

function withoutAuthority(place: string, endpoint: string): string {
  const start = [`http://${endpoint}`, `https://${endpoint}`].find((each) => place.startsWith(each));
  return start === undefined ? place : place.slice(start.length) || "/";
}
