/** Token counts as a worker reports them; undefined where it does not tell. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

const KEY = Buffer.from('"usage"');

/** Longest usage object kept where nobody says, in bytes; real ones are under 1 KiB. */
const DEFAULT_MAX_USAGE_BYTES = 16_384;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Finds token counts in a passing response, JSON or SSE, however it is cut into chunks. It looks for a member `"usage"`
 * whose value is an object with counts and keeps nothing else, so its memory is bounded whatever the length of lines and
 * bodies: the last event of a Responses stream repeats the whole output. Text inside JSON strings cannot be taken for the
 * member, since its quotes are escaped; schemas and other objects of that name carry no counts. The last find wins.
 */
export class UsageScanner {
  readonly #maxUsageBytes: number;
  #usage: TokenUsage | undefined;
  #sawTooLarge = false;
  /** Where the scan stands between two chunks. */
  #state: "search" | "colon" | "value" | "object" = "search";
  /** Bytes of KEY at the end of the last chunk, while searching. */
  #matchedBytes = 0;
  #object: Buffer[] = [];
  #objectBytes = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** @param maxUsageBytes longest object with counts that is kept; a longer one is passed over */
  constructor(maxUsageBytes: number = DEFAULT_MAX_USAGE_BYTES) {
    this.#maxUsageBytes = maxUsageBytes;
  }

  /** Counts found so far. */
  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  /** Whether an object was given up for its length. */
  get sawTooLarge(): boolean {
    return this.#sawTooLarge;
  }

  scan(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === "search") at = this.#search(chunk, at);
      else if (this.#state === "object") at = this.#readObject(chunk, at);
      else at = this.#readPunctuation(chunk, at);
    }
  }

  #search(chunk: Buffer, from: number): number {
    if (this.#matchedBytes > 0) return this.#continueKey(chunk, from);
    const found = chunk.indexOf(KEY, from);
    if (found >= 0) {
      this.#state = "colon";
      return found + KEY.length;
    }
    this.#matchedBytes = keyBytesAtEnd(chunk, from);
    return chunk.length;
  }

  /** A key that began in an earlier chunk. Only its first byte is a quote, so a failed match leaves nothing to retry. */
  #continueKey(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && this.#matchedBytes < KEY.length && chunk[at] === KEY[this.#matchedBytes]) {
      this.#matchedBytes += 1;
      at += 1;
    }
    if (this.#matchedBytes === KEY.length) this.#state = "colon";
    if (this.#state === "colon" || at < chunk.length) this.#matchedBytes = 0;
    return at;
  }

  #readPunctuation(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    if (this.#state === "colon" && byte === COLON) {
      this.#state = "value";
      return at + 1;
    }
    if (this.#state === "value" && byte === OPEN_BRACE) {
      this.#beginObject();
      return at;
    }
    this.#state = "search";
    return at;
  }

  #beginObject(): void {
    this.#state = "object";
    this.#object = [];
    this.#objectBytes = 0;
    this.#depth = 0;
    this.#isInString = false;
    this.#isEscaped = false;
  }

  #readObject(chunk: Buffer, from: number): number {
    const limit = Math.min(chunk.length, from + this.#maxUsageBytes - this.#objectBytes);
    let at = from;
    for (; at < limit; at += 1) {
      if (this.#endsObject(chunk[at] ?? 0)) break;
    }
    const isWhole = at < limit;
    const end = isWhole ? at + 1 : at;
    this.#objectBytes += end - from;
    if (!isWhole && this.#objectBytes >= this.#maxUsageBytes) {
      // The search goes on behind what was read: a response full of such beginnings costs no more than its length.
      this.#sawTooLarge = true;
      this.#leaveObject();
      return end;
    }
    // Copied: the chunk's memory is reused or pinned far beyond these bytes.
    this.#object.push(Buffer.from(chunk.subarray(from, end)));
    if (isWhole) {
      this.#usage = parseUsage(Buffer.concat(this.#object)) ?? this.#usage;
      this.#leaveObject();
    }
    return end;
  }

  #leaveObject(): void {
    this.#state = "search";
    this.#object = [];
  }

  /** Follows strings and braces; true at the brace that closes the object. */
  #endsObject(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      return false;
    }
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_BRACE) this.#depth += 1;
    else if (byte === CLOSE_BRACE) this.#depth -= 1;
    return this.#depth === 0;
  }
}

/** How many bytes at the end of the chunk are a beginning of KEY, 0 to 6. */
function keyBytesAtEnd(chunk: Buffer, from: number): number {
  const start = chunk.lastIndexOf(QUOTE);
  const length = chunk.length - start;
  if (start < from || length >= KEY.length) return 0;
  return chunk.compare(KEY, 0, length, start) === 0 ? length : 0;
}

/** What is read of a usage object; nothing is trusted to be there or to have its type. */
interface UsageJson {
  readonly prompt_tokens?: unknown;
  readonly prompt_tokens_details?: unknown;
  readonly completion_tokens?: unknown;
  readonly input_tokens?: unknown;
  readonly input_tokens_details?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  readonly cached_tokens?: unknown;
}

/**
 * Counts of the chat and completions APIs (`prompt_tokens`), of the Responses API (`input_tokens`) or of the Messages API (`input_tokens` without
 * those that were read from a cache or written to one).
 * @returns undefined when the object is no usage
 */
function parseUsage(json: Buffer): TokenUsage | undefined {
  const usage = objectOf(parseJson(json));
  const inputTokens = countOf(usage.prompt_tokens) ?? countOf(usage.input_tokens);
  if (inputTokens === undefined) return undefined;
  const readTokens = countOf(usage.cache_read_input_tokens);
  const details = objectOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  return {
    inputTokens: inputTokens + (readTokens ?? 0) + (countOf(usage.cache_creation_input_tokens) ?? 0),
    cachedTokens: readTokens ?? countOf(details.cached_tokens),
    outputTokens: countOf(usage.completion_tokens) ?? countOf(usage.output_tokens),
  };
}

function parseJson(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): UsageJson {
  return typeof value === "object" && value !== null ? value : {};
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
