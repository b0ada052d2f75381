import type { Turn } from "./conversation.ts";
import { callRanks } from "./v4-turns.ts";

interface Slot {
  readonly place: number;
  readonly rank: number;
}

/**
 * Places of the turns in the order in which V4.1 shows them: results of tools between two other turns go by the order of the calls that
 * they answer, users' messages among them stay where they are (dynamo-renderer@8.0.3 deepseek/v41.rs `message_order`).
 */
export function orderV41(turns: readonly Turn[], idOf: (call: Turn["calls"][number]) => string): readonly number[] {
  const order = [...turns.keys()];
  let ranks: ReadonlyMap<string, number> = new Map();
  let slots: Slot[] = [];
  const flush = (): void => {
    const sorted = slots.toSorted((a, b) => a.rank - b.rank);
    for (const [at, { place }] of slots.entries()) order[place] = sorted[at]?.place ?? place;
    slots = [];
  };
  for (const [place, { role, calls, callId }] of turns.entries()) {
    if (role === "tool") slots.push({ place, rank: ranks.get(callId) ?? 0 });
    else if (role !== "user") flush();
    if (role === "assistant" && calls.length > 0) ranks = callRanks(calls, idOf);
  }
  flush();
  return order;
}
