import type { Buffer } from "node:buffer";
import { type JsonParts, JsonStreamError, jsonTextOf } from "../json/index.ts";
import type { DumpedChange, StorageTier, U64 } from "../kv/index.ts";
import { knownKey } from "./dump-keys.ts";
import type { DumpedPoint, DumpedRank } from "./dump-writer.ts";
import { HashList } from "./hash-list.ts";

/** One event of a dump that can be applied. */
export interface DumpedEvent extends DumpedRank {
  /** `model:routing_group`. */
  readonly group: string;
  /** Tokens in a block of that group; undefined when the dump did not say before. */
  readonly blockSize: number | undefined;
  readonly change: DumpedChange["change"] | { readonly kind: "clear" };
}

/** How far a stream of a group was applied. */
export interface ReadPoint extends DumpedPoint {
  /** `model:routing_group`. */
  readonly group: string;
}

const tiers: ReadonlySet<unknown> = new Set<StorageTier>(["device", "host_pinned", "disk", "external"]);

/** Most streams of one dump. */
const maxPoints = 65_536;

/** Where in a dump a value stands; `other` is anywhere else. */
type Place =
  | "outside"
  | "dump"
  | "group"
  | "events"
  | "streams"
  | "event"
  | "stream"
  | "inner"
  | "data"
  | "stored"
  | "removed"
  | "blocks"
  | "blockHashes"
  | "block"
  | "other";

/** What opens where: by the place that it is in and the key (in an array: none), the place, and whether it is an array. */
const openings: ReadonlyMap<string, readonly [Place, boolean]> = new Map([
  ["group events", ["events", true]],
  ["group streams", ["streams", true]],
  ["events ", ["event", false]],
  ["streams ", ["stream", false]],
  ["event event", ["inner", false]],
  ["inner data", ["data", false]],
  ["data stored", ["stored", false]],
  ["data removed", ["removed", false]],
  ["stored blocks", ["blocks", true]],
  ["removed block_hashes", ["blockHashes", true]],
]);

/** Members whose value is of one kind, or null, which is as if they were not there: with another the event or stream says nothing. */
const kinds: ReadonlyMap<string, "text" | "integer"> = new Map([
  ["event storage_tier", "text"],
  ["event residency_domain", "text"],
  ["event dp_rank", "integer"],
  ["inner dp_rank", "integer"],
  ["stream dp_rank", "integer"],
  ["stored parent_hash", "integer"],
  ["stored cache_salt", "text"],
]);

/** Makes events and points of the parts of a dump's JSON. */
export class DumpParts implements JsonParts {
  readonly points: ReadPoint[] = [];
  skippedEvents = 0;
  #events: DumpedEvent[] = [];
  readonly #places: Place[] = [];
  #place: Place = "outside";
  #key = "";
  #group = "";
  #blockSize: number | undefined;
  #fields = new Fields();
  readonly #hashes = new HashList();
  readonly #locals = new HashList();
  /** Of the block that is read: 1 = its hash is there, 2 = that of its tokens. */
  #blockParts = 0;

  /** The events that have ended since the last call. */
  takeEvents(): readonly DumpedEvent[] {
    if (this.#events.length === 0) return this.#events;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  open(isArray: boolean): void {
    this.#expect(isArray ? "array" : "object");
    this.#places.push(this.#place);
    this.#place = this.#opened(isArray);
    this.#begin(this.#place);
    this.#key = "";
  }

  #begin(place: Place): void {
    if (place === "group") {
      this.#group = this.#key;
      this.#blockSize = undefined;
    } else if (place === "event" || place === "stream") {
      this.#fields = new Fields();
      this.#hashes.clear();
      this.#locals.clear();
    } else if (place === "block") {
      this.#blockParts = 0;
    } else if (place === "stored" || place === "removed") {
      if (this.#fields.change !== undefined) this.#fields.isBad = true;
      this.#fields.change = place;
    } else if (place === "blocks" || place === "blockHashes") {
      this.#fields.hasList = true;
    }
  }

  #opened(isArray: boolean): Place {
    if (this.#place === "outside") return "dump";
    if (this.#place === "dump") return isArray ? "other" : "group";
    if (this.#place === "blocks" && !isArray) return "block";
    if (this.#place === "other") return "other";
    this.#refuseElement();
    const [place, opensArray] = openings.get(`${this.#place} ${this.#key}`) ?? ["other", isArray];
    return opensArray === isArray ? place : "other";
  }

  close(): void {
    if (this.#place === "block" && this.#blockParts !== 3) this.#fields.isBad = true;
    else if (this.#place === "event") this.#endEvent();
    else if (this.#place === "stream") this.#endStream();
    this.#place = this.#places.pop() ?? "outside";
    // The value that is over had a key of its own object; in an array there is none.
    this.#key = "";
  }

  key(bytes: Buffer): void {
    this.#key = knownKey(bytes) ?? jsonTextOf(bytes);
  }

  text(bytes: Buffer): void {
    this.#refuseElement();
    this.#expect("text");
    switch (`${this.#place} ${this.#key}`) {
      case "event storage_tier":
        this.#fields.tier = jsonTextOf(bytes);
        return;
      case "event residency_domain":
        this.#fields.domain = jsonTextOf(bytes);
        return;
      case "inner data":
        this.#fields.change = jsonTextOf(bytes);
        return;
      case "stored cache_salt":
        this.#fields.cacheSalt = jsonTextOf(bytes);
        return;
    }
  }

  literal(value: boolean | null): void {
    this.#refuseElement();
    this.#expect(value === null ? "null" : "boolean");
    if (this.#place === "stream" && this.#key === "complete") this.#fields.isComplete = value === true;
  }

  number(isInteger: boolean, low: number, high: number): void {
    const place = this.#place;
    if (place === "block") this.#blockNumber(isInteger, low, high);
    else if (place === "blockHashes" && isInteger) this.#hashes.push(low, high);
    else if (place === "blockHashes" || place === "blocks") this.#fields.isBad = true;
    else if (place !== "other") this.#field(isInteger ? { low, high } : undefined);
  }

  /** A value of this kind begins here. Throws JsonStreamError for a text that is no object. */
  #expect(kind: "text" | "integer" | "boolean" | "null" | "object" | "array" | "fraction"): void {
    // Nearly all of a dump's values, and none of them is in the list.
    if (this.#place === "block" || this.#place === "blocks" || this.#place === "blockHashes") return;
    if (this.#place === "outside" && kind !== "object") throw new JsonStreamError("a dump is a JSON object");
    const expected = kinds.get(`${this.#place} ${this.#key}`);
    if (expected !== undefined && kind !== expected && kind !== "null") this.#fields.isBad = true;
  }

  #field(value: U64 | undefined): void {
    this.#expect(value === undefined ? "fraction" : "integer");
    const [place, key] = [this.#place, this.#key];
    if (place === "group") {
      if (key === "block_size") this.#blockSize = value && numberOf(value.low, value.high);
    } else if (place === "stored") {
      if (key === "parent_hash") this.#fields.parentHash = value;
    } else if (place === "event" || place === "stream" || (place === "inner" && key === "dp_rank")) {
      this.#fields.put(key, value);
    }
  }

  #blockNumber(isInteger: boolean, low: number, high: number): void {
    const part = this.#key === "block_hash" ? 1 : this.#key === "tokens_hash" ? 2 : 0;
    if (part === 0) return;
    if (!isInteger || (this.#blockParts & part) !== 0) {
      this.#fields.isBad = true;
      return;
    }
    this.#blockParts |= part;
    (part === 1 ? this.#hashes : this.#locals).push(low, high);
  }

  /** Lists of blocks and hashes hold nothing else. */
  #refuseElement(): void {
    if (this.#place === "blocks" || this.#place === "blockHashes") this.#fields.isBad = true;
  }

  #endEvent(): void {
    const change = this.#changeOf(this.#fields);
    const { workerId, dpRank } = this.#fields;
    if (change === undefined || workerId === undefined) {
      this.skippedEvents++;
      return;
    }
    this.#events.push({
      group: this.#group,
      blockSize: this.#blockSize,
      workerId: bigintOf(workerId),
      dpRank: dpRank === undefined ? 0 : numberOf(dpRank.low, dpRank.high),
      change,
    });
  }

  #changeOf(fields: Fields): DumpedEvent["change"] | undefined {
    const { tier, domain, isBad, change, hasList, parentHash, cacheSalt } = fields;
    if (domain !== "worker" || !tiers.has(tier) || isBad) return undefined;
    if (change === "cleared") return { kind: "clear" };
    if (!hasList) return undefined;
    const blockHashes = this.#hashes.words();
    if (change === "removed") return { kind: "remove", blockHashes, tier: tier as StorageTier };
    if (change !== "stored") return undefined;
    const localHashes = this.#locals.words();
    return { kind: "store", blocks: { parentHash, blockHashes, localHashes, tier: tier as StorageTier, cacheSalt } };
  }

  #endStream(): void {
    const { workerId, dpRank, sequence, content, isComplete, isBad } = this.#fields;
    if (isBad || workerId === undefined || sequence === undefined || content === undefined) return;
    if (this.points.length >= maxPoints) return;
    const number = numberOf(sequence.low, sequence.high);
    if (!Number.isSafeInteger(number)) return;
    this.points.push({
      group: this.#group,
      workerId: bigintOf(workerId),
      dpRank: dpRank === undefined ? 0 : numberOf(dpRank.low, dpRank.high),
      sequence: number,
      content,
      isComplete,
    });
  }
}

/** What was read of an event, or of a stream. */
class Fields {
  tier = "device";
  domain = "worker";
  change: string | undefined;
  /** Its list of blocks or hashes is there. */
  hasList = false;
  /** Something in it is not understood. */
  isBad = false;
  isComplete = false;
  parentHash: U64 | undefined;
  cacheSalt: string | undefined;
  workerId: U64 | undefined;
  dpRank: U64 | undefined;
  sequence: U64 | undefined;
  content: U64 | undefined;

  put(key: string, value: U64 | undefined): void {
    if (key === "worker_id") this.workerId = value;
    else if (key === "dp_rank") this.dpRank = value;
    else if (key === "sequence") this.sequence = value;
    else if (key === "content") this.content = value;
  }
}

function bigintOf({ low, high }: U64): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function numberOf(low: number, high: number): number {
  return high * 0x1_0000_0000 + low;
}
