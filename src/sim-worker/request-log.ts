import type { ReceivedBody } from "./received-body.ts";

/** How the tokens of a request were obtained. */
export type TokenSource = "token_data" | "tokenizer";

/** What arrived and what became of it; filled in while the request runs. */
export interface RequestRecord {
  /** Counts all requests of the worker from 1. */
  readonly sequence: number;
  readonly method: string;
  /** Request target as received, with its query. */
  readonly target: string;
  /** Header lines in order, names as received. */
  readonly headers: readonly (readonly [string, string])[];
  /** Trailer lines in order; empty without any. */
  trailers: readonly (readonly [string, string])[];
  bodyBytes: number;
  /** SHA-256 of the whole body, in hex. */
  bodySha256: string;
  /** The first bytes of the body, in base64. */
  bodyHeadBase64: string;
  tokenSource: TokenSource | undefined;
  /** Tokens of all prompts. */
  promptTokens: number | undefined;
  cachedTokens: number | undefined;
  outputTokens: number;
  /** Status sent; undefined while nothing is. */
  status: number | undefined;
  outcome: "running" | "completed" | "refused" | "failed" | "reset" | "aborted";
}

/** The last requests of a worker. */
export class RequestLog {
  readonly #limit: number;
  readonly #bodyHeadBytes: number;
  readonly #records: RequestRecord[] = [];
  #sequence = 0;

  /**
   * @param limit records kept; 0 = none
   * @param bodyHeadBytes leading bytes of each body kept
   */
  constructor(limit: number, bodyHeadBytes: number) {
    this.#limit = limit;
    this.#bodyHeadBytes = bodyHeadBytes;
  }

  /** Starts a record; the oldest one goes when there are too many. */
  open(method: string, target: string, rawHeaders: readonly string[]): RequestRecord {
    this.#sequence += 1;
    const record: RequestRecord = {
      sequence: this.#sequence,
      method,
      target,
      headers: pairs(rawHeaders),
      trailers: [],
      bodyBytes: 0,
      bodySha256: "",
      bodyHeadBase64: "",
      tokenSource: undefined,
      promptTokens: undefined,
      cachedTokens: undefined,
      outputTokens: 0,
      status: undefined,
      outcome: "running",
    };
    if (this.#limit > 0) this.#records.push(record);
    if (this.#records.length > this.#limit) this.#records.shift();
    return record;
  }

  /** Notes what the body was. */
  noteBody(record: RequestRecord, body: ReceivedBody): void {
    record.bodyBytes = body.bytes.length;
    record.bodySha256 = body.sha256;
    record.bodyHeadBase64 = body.bytes.toString("base64", 0, this.#bodyHeadBytes);
    record.trailers = pairs(body.rawTrailers);
  }

  /** The last `limit` records, oldest first. */
  last(limit: number): readonly RequestRecord[] {
    return limit <= 0 ? [] : this.#records.slice(-limit);
  }

  /** Forgets all records; numbers go on. */
  clear(): void {
    this.#records.length = 0;
  }
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  const lines: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) lines.push([raw[index] ?? "", raw[index + 1] ?? ""]);
  return lines;
}
