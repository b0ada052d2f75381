import { Buffer } from "node:buffer";
import { editRoot, type RootChanges } from "../../../json/index.ts";
import type { RouteDecision } from "../../../router/index.ts";
import type { RequestOutline } from "./request-outline.ts";

/** A replica of a worker. */
export type WorkerRank = RouteDecision["selection"]["answering"]["rank"];

/** The two workers of a split request. */
export interface Pair {
  readonly prefill: WorkerRank;
  readonly decode: WorkerRank;
}

/** What each of the two workers is sent. */
export interface PairBodies {
  readonly prefill: Buffer;
  readonly decode: Buffer;
}

/**
 * Bodies for SGLang: the request with the room in which its two workers meet. A room is a number of 63 bits: it is written from a bigint.
 * Source: sglang disaggregation, the fields of its `GenerateReqInput`; arrays have one entry for each sequence.
 * @param newRoom uniform in [0, 2^63)
 */
export function bootstrapBodies(body: Buffer, outline: RequestOutline, pair: Pair, newRoom: () => bigint): PairBodies {
  const { worker } = pair.prefill;
  const host = JSON.stringify(worker.handover?.bootstrapHost ?? hostOf(worker.endpoint));
  const port = String(worker.handover?.bootstrapPort ?? null);
  const { prompts, answers } = outline;
  const count = prompts === undefined && answers === 1 ? undefined : (prompts ?? 1) * answers;
  const shared = [
    ["bootstrap_host", copies(count, () => host)],
    ["bootstrap_port", copies(count, () => port)],
    ["bootstrap_room", copies(count, () => String(newRoom()))],
  ] as const;
  const { prefill, decode } = rankChanges(pair);
  const forPrefill = editRoot(body, outline.members, new Map([...shared, ...prefill]));
  if (prefill.size + decode.size === 0) return { prefill: forPrefill, decode: forPrefill };
  return { prefill: forPrefill, decode: editRoot(body, outline.members, new Map([...shared, ...decode])) };
}

function copies(count: number | undefined, write: () => string): Buffer {
  return Buffer.from(count === undefined ? write() : `[${Array.from({ length: count }, write).join(",")}]`);
}

/** Which replica within a worker; told only where there are several. */
function rankChanges({ prefill, decode }: Pair): { readonly prefill: RootChanges; readonly decode: RootChanges } {
  const own = prefill.worker.dpSize > 1 ? number(prefill.dpRank) : undefined;
  const toPrefill = new Map<string, Buffer>();
  const toDecode = new Map<string, Buffer>();
  if (own !== undefined) {
    toPrefill.set("routed_dp_rank", own);
    toDecode.set("disagg_prefill_dp_rank", own);
  }
  if (decode.worker.dpSize > 1) toDecode.set("routed_dp_rank", number(decode.dpRank));
  return { prefill: toPrefill, decode: toDecode };
}

function number(value: number): Buffer {
  return Buffer.from(String(value));
}

/** An IPv6 host keeps its brackets: engines put the port right behind it. */
export function hostOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(":"));
}
