import { createHash } from "node:crypto";
import { HttpError } from "./error-answer.ts";

/** Who may call, and how much. */
export interface ApiKey {
  readonly name: string;
  /** SHA-256 of the key, in hexadecimal. */
  readonly sha256: string;
  /** 0 = no limit. */
  readonly requestsPerMinute: number;
  /** 0 = no limit. */
  readonly maxConcurrent: number;
}

/** What is read of a request's headers. */
interface HeaderSource {
  get(lowerName: string): string | undefined;
}

/** Longest key, in characters. */
const maxKeyLength = 4_096;

/** Recognises callers by their keys, of which only digests are kept. */
export class ApiKeys<K extends ApiKey = ApiKey> {
  /** Whether a key is needed at all. It stays so when none is left: then nobody may call. */
  readonly areNeeded: boolean;
  readonly #now: () => number;
  /** By digest: looking one up tells nothing of the others, since nobody can choose a digest. */
  #byDigest: ReadonlyMap<string, KeyAllowance<K>> = new Map();

  /** @param now milliseconds on a monotonic scale */
  constructor(keys: readonly K[], areNeeded: boolean, now: () => number) {
    this.areNeeded = areNeeded;
    this.#now = now;
    this.replace(keys);
  }

  /** From here on these may call. A key that was there before keeps its account, under the bounds that it has in the new list. */
  replace(keys: readonly K[]): void {
    const before = this.#byDigest;
    this.#byDigest = new Map(
      keys.map((key) => {
        const allowance = before.get(key.sha256) ?? new KeyAllowance(key, this.#now);
        allowance.bound(key);
        return [key.sha256, allowance];
      }),
    );
  }

  /** @throws HttpError 401 when the request has no key, or one that is not known */
  allowanceOf(headers: HeaderSource): KeyAllowance<K> {
    const key = keyIn(headers);
    const allowance = key === undefined ? undefined : this.#byDigest.get(digestOf(key));
    if (allowance !== undefined) return allowance;
    const message = key === undefined ? "an API key is needed" : "the API key is not valid";
    throw new HttpError(401, "unauthorized", message, { "www-authenticate": "Bearer" });
  }
}

/** What one key may still do. */
export class KeyAllowance<K extends ApiKey = ApiKey> {
  #key: K;
  readonly #now: () => number;
  #running = 0;
  #requests: number;
  #lastMs: number;

  constructor(key: K, now: () => number) {
    this.#key = key;
    this.#now = now;
    this.#requests = key.requestsPerMinute;
    this.#lastMs = now();
  }

  get key(): K {
    return this.#key;
  }

  /** Puts other bounds on the key; what it has used up under the old ones stays used up. */
  bound(key: K): void {
    const freed = key.requestsPerMinute - this.#key.requestsPerMinute;
    if (freed > 0) this.#requests += freed;
    this.#key = key;
  }

  /** Counts a request as begun. @throws HttpError 429 */
  begin(): void {
    const { maxConcurrent, requestsPerMinute } = this.#key;
    if (maxConcurrent > 0 && this.#running >= maxConcurrent) {
      throw limited(`${maxConcurrent} requests of this key are under way`, undefined);
    }
    if (requestsPerMinute > 0) this.#take(requestsPerMinute);
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
  }

  #take(requestsPerMinute: number): void {
    const nowMs = this.#now();
    const perMs = requestsPerMinute / 60_000;
    this.#requests = Math.min(requestsPerMinute, this.#requests + (nowMs - this.#lastMs) * perMs);
    this.#lastMs = nowMs;
    if (this.#requests < 1) {
      const waitSeconds = Math.ceil((1 - this.#requests) / perMs / 1_000);
      throw limited(`this key may send ${requestsPerMinute} requests a minute`, waitSeconds);
    }
    this.#requests -= 1;
  }
}

function limited(message: string, retryAfterSeconds: number | undefined): HttpError {
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return new HttpError(429, "rate_limited", message, headers);
}

/** OpenAI's clients send a bearer token, Anthropic's `x-api-key`. */
function keyIn(headers: HeaderSource): string | undefined {
  const [, bearer] = /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  const key = bearer ?? headers.get("x-api-key");
  return key === undefined || key === "" || key.length > maxKeyLength ? undefined : key;
}

function digestOf(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}
