import type { DumpedChange, U64 } from "../kv/index.ts";
import type { StreamPoint } from "./stream-position.ts";

/** Whom a slot stands for. */
export interface DumpedRank {
  /** u64. */
  readonly workerId: bigint;
  readonly dpRank: number;
}

/** How far a rank's stream of events had been applied when a dump began: what it holds is at least as new. */
export interface DumpedPoint extends DumpedRank, StreamPoint {}

/** One model's part of a dump. */
export interface DumpedGroup {
  readonly model: string;
  /** Routing group; "default" where there is none. */
  readonly routingGroup: string;
  /** Tokens in a block. */
  readonly blockSize: number;
  readonly changes: Iterable<DumpedChange>;
  /** Of the ranks whose streams are followed; asked for before the first change. Default: none. */
  readonly points?: () => Iterable<DumpedPoint>;
}

/**
 * A dump as Dynamo's indexer and selection service give it under `/dump` (dynamo@1.6.1 `RouterEvent`): one JSON object, u64s
 * as plain numbers. Parts of it, each bounded, made as they are asked for: the index may change in between. Events of slots that
 * stand for nobody are left out. Cache namespaces (`cache_salt`) and how far the streams were applied (`streams`) are additions of ours,
 * which Dynamo passes over.
 */
export function* dumpText(
  groups: Iterable<DumpedGroup>,
  rankOf: (slot: number) => DumpedRank | undefined,
): Generator<string, void, undefined> {
  let eventId = 0;
  let separator = "{";
  for (const { model, routingGroup, blockSize, changes, points } of groups) {
    yield `${separator}${JSON.stringify(`${model}:${routingGroup}`)}:{"block_size":${blockSize},`;
    if (points !== undefined) yield `"streams":[${[...points()].map(pointText).join(",")}],`;
    yield '"events":[';
    separator = "";
    for (const dumped of changes) {
      const rank = rankOf(dumped.slot);
      if (rank === undefined) continue;
      yield `${separator}${eventText(dumped, rank, eventId++)}`;
      separator = ",";
    }
    yield "]}";
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

function pointText({ workerId, dpRank, sequence, content, isComplete }: DumpedPoint): string {
  const stream = `"sequence":${sequence},"content":${decimal(content)},"complete":${isComplete}`;
  return `{"worker_id":${workerId},"dp_rank":${dpRank},${stream}}`;
}

function eventText({ change }: DumpedChange, { workerId, dpRank }: DumpedRank, eventId: number): string {
  const tier = change.kind === "store" ? (change.blocks.tier ?? "device") : change.tier;
  const data = change.kind === "store" ? storedText(change.blocks) : removedText(change.blockHashes);
  const event = `{"event_id":${eventId},"data":${data},"dp_rank":${dpRank}}`;
  return `{"worker_id":${workerId},"storage_tier":"${tier}","residency_domain":"worker","event":${event}}`;
}

function storedText({ parentHash, blockHashes, localHashes, cacheSalt }: StoredChange["blocks"]): string {
  const blocks: string[] = [];
  for (let at = 0; at < blockHashes.length; at += 2) {
    blocks.push(
      `{"block_hash":${u64Text(blockHashes, at)},"tokens_hash":${u64Text(localHashes, at)},"mm_extra_info":null}`,
    );
  }
  const parent = parentHash === undefined ? "null" : decimal(parentHash);
  const salt = cacheSalt === undefined ? "" : `,"cache_salt":${JSON.stringify(cacheSalt)}`;
  return `{"stored":{"parent_hash":${parent},"start_position":null,"blocks":[${blocks.join(",")}]${salt}}}`;
}

type StoredChange = Extract<DumpedChange["change"], { kind: "store" }>;

function removedText(blockHashes: Uint32Array): string {
  const hashes: string[] = [];
  for (let at = 0; at < blockHashes.length; at += 2) hashes.push(u64Text(blockHashes, at));
  return `{"removed":{"block_hashes":[${hashes.join(",")}]}}`;
}

function u64Text(words: Uint32Array, at: number): string {
  return decimal({ low: words[at] as number, high: words[at + 1] as number });
}

function decimal({ low, high }: U64): string {
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}
