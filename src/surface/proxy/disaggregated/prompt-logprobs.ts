import { Buffer } from "node:buffer";
import { JsonNumber, JsonObject, type JsonValue, parseJson } from "../../../json/index.ts";
import { WholeEvents } from "../whole-events.ts";
import type { HeldHead } from "./legs.ts";

const field = "input_token_logprobs";
const fieldBytes = Buffer.from(field);
const COMMA = Buffer.from(",");
const noBytes = Buffer.alloc(0);

/** Bytes of an array without its brackets, by the answer's place in a batch. */
type Logprobs = ReadonlyMap<number, Buffer>;

/**
 * Completes an answer of SGLang's `/generate` with what only the prefill worker knows: the logprobs of the prompt's tokens are put before
 * the decode worker's. All other bytes stay. Both answers are held while they are no streams.
 */
export class PromptLogprobs {
  readonly #maxBytes: number;
  #prefill: Buffer[] = [];
  #prefillBytes = 0;
  #logprobs: Logprobs = new Map();
  #events: WholeEvents | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @param maxBytes of each of the two answers */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false when the prefill worker's answer is too long */
  prefillData(chunk: Buffer): boolean {
    this.#prefill.push(chunk);
    this.#prefillBytes += chunk.length;
    return this.#prefillBytes <= this.#maxBytes;
  }

  /** The prefill worker's answer is whole. */
  prefillEnd(): void {
    const text = Buffer.concat(this.#prefill.splice(0));
    const found = new Map<number, Buffer>();
    for (const part of text[0] === 0x64 ? eventsIn(text) : [text]) {
      for (const { index, start, end } of placesIn(part)) {
        if (!found.has(index)) found.set(index, Buffer.from(part.subarray(start + 1, end - 1)));
      }
    }
    this.#logprobs = found;
  }

  /** The decode worker's head, for an answer whose length changes. */
  head({ status, reason, rawHeaders }: HeldHead): HeldHead {
    const kept: string[] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const [name, value] = [rawHeaders[at] as string, rawHeaders[at + 1] as string];
      const lower = name.toLowerCase();
      if (lower === "content-type" && value.startsWith("text/event-stream"))
        this.#events = new WholeEvents(this.#maxBytes);
      if (lower !== "content-length") kept.push(name, value);
    }
    return { status, reason, rawHeaders: kept };
  }

  /** What can be passed on of the decode worker's answer; empty = nothing yet, undefined = it is too long. */
  data(chunk: Buffer): Buffer | undefined {
    if (this.#events !== undefined) {
      const events = this.#events.take(chunk);
      return events === undefined ? noBytes : this.#mergedEvents(events);
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes <= this.#maxBytes ? noBytes : undefined;
  }

  /** The rest of the decode worker's answer. */
  end(): Buffer {
    if (this.#events === undefined) return this.#merged(Buffer.concat(this.#held.splice(0)));
    const rest = this.#events.rest();
    return rest === undefined ? noBytes : this.#mergedEvents(rest);
  }

  #mergedEvents(events: Buffer): Buffer {
    if (!events.includes(fieldBytes)) return events;
    return Buffer.concat(eventsIn(events).map((event) => this.#merged(event)));
  }

  #merged(text: Buffer): Buffer {
    const parts: Buffer[] = [];
    let at = 0;
    for (const { index, start, end } of placesIn(text)) {
      const before = this.#logprobs.get(index);
      if (before === undefined || before.length === 0) continue;
      parts.push(text.subarray(at, start + 1), before);
      at = start + 1;
      if (text.toString("latin1", at, end - 1).trim() !== "") parts.push(COMMA);
    }
    return parts.length === 0 ? text : Buffer.concat([...parts, text.subarray(at)]);
  }
}

/** Events of a stream, each with the empty line behind it. */
function eventsIn(text: Buffer): readonly Buffer[] {
  const events: Buffer[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf("\n\n", at);
    const next = end < 0 ? text.length : end + 2;
    events.push(text.subarray(at, next));
    at = next;
  }
  return events;
}

/** Where an array of logprobs stands, brackets included. */
interface Place {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** In a JSON answer, of a batch or not, or one event. */
function placesIn(text: Buffer): readonly Place[] {
  if (!text.includes(fieldBytes)) return [];
  const start = text.indexOf("data: ") === 0 ? 6 : 0;
  let value: JsonValue;
  try {
    value = parseJson(text.subarray(start));
  } catch {
    return [];
  }
  const items = Array.isArray(value) ? value : [value];
  return items
    .flatMap((item, i) => placeIn(item, text.subarray(start), i))
    .map((place) => ({
      index: place.index,
      start: place.start + start,
      end: place.end + start,
    }));
}

/** @param at its place in a batch; streams of batches name it */
function placeIn(item: JsonValue, text: Buffer, at: number): readonly Place[] {
  if (!(item instanceof JsonObject)) return [];
  const meta = item.get("meta_info");
  const span = meta instanceof JsonObject ? meta.valueSpan(field) : undefined;
  if (span === undefined || text[span.start] !== 0x5b) return [];
  const index = item.get("index");
  return [{ index: index instanceof JsonNumber ? index.toNumber() : at, ...span }];
}
