import { setImmediate as nextTurn } from "node:timers/promises";
import { HttpError, jsonAnswer, type Operation } from "../../http/index.ts";
import type { Partition, Partitions, WorkerRank } from "../../router/index.ts";
import { unsignedHashes } from "./json-text.ts";
import type { RouteApiOptions } from "./options.ts";

export interface DumpDependencies {
  readonly partitions: Partitions;
  /** The rank of a slot; undefined when it is gone. */
  readonly rankAt: (slot: number) => WorkerRank | undefined;
  readonly options: RouteApiOptions;
}

type Change = ReturnType<Partition["served"]["index"]["dump"]> extends Generator<infer C> ? C : never;

/** Text that is made between two turns of the event loop, characters: well below 5 ms. */
const turnCharacters = 65_536;

/** `GET /dump`: what every worker holds, as the events that give it again. The wire of dynamo@1.6.1, hashes as u64. */
export function dumpOperation({ partitions, rankAt, options }: DumpDependencies): Operation {
  return {
    method: "GET",
    path: "/dump",
    id: "dump",
    tag: "dynamo",
    summary: "Tells what every worker holds, for another replica or indexer to start with",
    description: "Hashes are unsigned 64-bit integers: read them with a reader that keeps them exact.",
    access: "token",
    answers: {
      200: { description: "KV events by partition (`model:group`).", schema: { type: "object" } },
      403: { description: "No token is configured, and the listener is not on the loopback address." },
    },
    handle: () => {
      if (!options.isDumpOpen) {
        throw new HttpError(403, "forbidden", "/dump needs a token on this address: set routeApi.tokenFile");
      }
      return jsonAnswer(200, dumpText(partitions.values(), rankAt));
    },
  };
}

async function* dumpText(
  partitions: readonly Partition[],
  rankAt: DumpDependencies["rankAt"],
): AsyncGenerator<string, void, undefined> {
  let eventId = 0;
  let part = "{";
  for (const [i, { model, group, blockSize, served }] of partitions.entries()) {
    part += `${i === 0 ? "" : ","}${JSON.stringify(`${model}:${group}`)}:{"block_size":${blockSize},"events":[`;
    let isFirst = true;
    for (const change of served.index.dump()) {
      const rank = rankAt(change.slot);
      if (rank === undefined) continue;
      part += `${isFirst ? "" : ","}${eventText(change, rank, eventId++)}`;
      isFirst = false;
      if (part.length < turnCharacters) continue;
      yield part;
      part = "";
      await nextTurn();
    }
    part += "]}";
  }
  yield `${part}}`;
}

function eventText({ change }: Change, { worker, dpRank }: WorkerRank, eventId: number): string {
  const tier = change.kind === "store" ? (change.blocks.tier ?? "device") : change.tier;
  const data = change.kind === "store" ? storedText(change.blocks) : removedText(change.blockHashes);
  return (
    `{"worker_id":${worker.id},"storage_tier":"${tier}","residency_domain":"worker",` +
    `"event":{"event_id":${eventId},"data":${data},"dp_rank":${dpRank}}}`
  );
}

function storedText(blocks: Extract<Change["change"], { kind: "store" }>["blocks"]): string {
  const { parentHash, blockHashes, localHashes } = blocks;
  const parent = parentHash === undefined ? "null" : unsigned(parentHash.low, parentHash.high);
  const names = new BigUint64Array(blockHashes.slice().buffer);
  const locals = new BigUint64Array(localHashes.slice().buffer);
  const items: string[] = [];
  names.forEach((name, i) => {
    items.push(`{"block_hash":${name},"tokens_hash":${locals[i]},"mm_extra_info":null}`);
  });
  return `{"stored":{"parent_hash":${parent},"start_position":null,"blocks":[${items.join(",")}]}}`;
}

function removedText(blockHashes: Uint32Array): string {
  return `{"removed":{"block_hashes":${unsignedHashes(blockHashes)}}}`;
}

function unsigned(low: number, high: number): string {
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}
