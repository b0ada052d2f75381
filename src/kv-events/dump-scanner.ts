import { Buffer } from "node:buffer";

/** Text that is no dump, or an event of it over its bound. */
export class DumpSyntaxError extends Error {
  override readonly name = "DumpSyntaxError";
}

/** One event of a dump, or what it says of a stream, as it stands there. */
export interface ScannedEvent {
  /** `model:routing_group`. */
  readonly group: string;
  /** Tokens in a block of that group; undefined when the dump says so only after the events. */
  readonly blockSize: number | undefined;
  /** What it is: one of the group's `events`, or of its `streams`. */
  readonly list: "events" | "streams";
  /** Its JSON. */
  readonly json: Buffer;
}

/** Longest event, bytes. */
const maxEventBytes = 16 * 1_048_576;

/** Nesting: the groups' names are keys at 1, their fields at 2, and the events objects at 4. */
const groupDepth = 1;
const fieldDepth = 2;
const eventDepth = 4;

const code = (character: string) => character.charCodeAt(0);
const quote = code('"');
const backslash = code("\\");
const numberBytes = new Set([..."0123456789+-.eE"].map(code));

/**
 * Finds the events of a dump that comes in chunks, without holding more of it than the event being read:
 * `{"<group>": {"block_size": n, "streams": [{...}], "events": [{...}, ...]}, ...}`.
 */
export class DumpScanner {
  #depth = 0;
  #wasOpened = false;
  /** What is being read whole. */
  #reading: "text" | "number" | "event" | undefined;
  #isInString = false;
  #isEscaped = false;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #text = "";
  #group = "";
  #field = "";
  #blockSize: number | undefined;

  /** The events that end in this chunk, in order. O(bytes). Throws DumpSyntaxError. */
  *read(chunk: Buffer): Generator<ScannedEvent, void, undefined> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#reading === undefined) {
        from = at;
        this.#onStructure(byte);
      } else if (this.#reading === "number") {
        if (numberBytes.has(byte)) continue;
        this.#onNumber(this.#taken(chunk.subarray(from, at)));
        from = at;
        this.#onStructure(byte);
      } else if (this.#endsWith(byte)) {
        const whole = this.#taken(chunk.subarray(from, at + 1));
        if (this.#reading === "event") yield this.#scanned(whole);
        else this.#text = textOf(whole);
        this.#reading = undefined;
      }
    }
    if (this.#reading !== undefined) this.#hold(chunk.subarray(from));
  }

  /** The text is over. Throws DumpSyntaxError when it is not whole. */
  end(): void {
    if (this.#depth !== 0 || !this.#wasOpened) throw new DumpSyntaxError("the dump ends too early");
  }

  #scanned(json: Buffer): ScannedEvent {
    const list = this.#field === "streams" ? "streams" : "events";
    return { group: this.#group, blockSize: this.#blockSize, list, json };
  }

  #onStructure(byte: number): void {
    this.#reading = undefined;
    switch (String.fromCharCode(byte)) {
      case "{":
      case "[":
        this.#open();
        return;
      case "}":
      case "]":
        this.#depth--;
        return;
      case ":":
        this.#onKey();
        return;
      case '"':
        this.#reading = "text";
        return;
    }
    if (this.#depth === 0 && byte > 0x20) throw new DumpSyntaxError("a dump is a JSON object");
    if (this.#depth === fieldDepth && numberBytes.has(byte)) this.#reading = "number";
  }

  #open(): void {
    if (this.#depth === 0 && this.#wasOpened) throw new DumpSyntaxError("a dump is one JSON object");
    this.#wasOpened = true;
    this.#depth++;
    if (this.#depth === eventDepth && (this.#field === "events" || this.#field === "streams")) this.#reading = "event";
  }

  #onKey(): void {
    if (this.#depth === groupDepth) {
      this.#group = this.#text;
      this.#blockSize = undefined;
    } else if (this.#depth === fieldDepth) {
      this.#field = this.#text;
    }
  }

  #onNumber(bytes: Buffer): void {
    if (this.#field === "block_size") this.#blockSize = Number(bytes.toString("latin1"));
  }

  /** Whether this byte is the last one of the text or event being read. */
  #endsWith(byte: number): boolean {
    const isInString = this.#isInString || this.#reading === "text";
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (isInString) {
      if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) {
        this.#isInString = false;
        return this.#reading === "text";
      }
    } else if (byte === quote) {
      this.#isInString = true;
    } else if (byte === code("{") || byte === code("[")) {
      this.#depth++;
    } else if (byte === code("}") || byte === code("]")) {
      this.#depth--;
      return this.#depth === eventDepth - 1;
    }
    return false;
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length;
    if (this.#heldBytes > maxEventBytes) throw new DumpSyntaxError(`an event of over ${maxEventBytes} bytes`);
    this.#held.push(Buffer.from(part));
  }

  #taken(last: Buffer): Buffer {
    if (this.#heldBytes === 0) return last;
    const whole = Buffer.concat([...this.#held, last]);
    this.#held = [];
    this.#heldBytes = 0;
    return whole;
  }
}

function textOf(bytes: Buffer): string {
  try {
    return String(JSON.parse(bytes.toString("utf8")));
  } catch (cause) {
    throw new DumpSyntaxError("a key that is no JSON text", { cause });
  }
}
