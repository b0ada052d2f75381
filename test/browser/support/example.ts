import { readFileSync } from "node:fs";
import type { ConsoleHistory, ConsoleState, ConsoleWorker, ExplainedPick } from "../../../src/surface/admin/index.ts";

const folder = new URL("../../fixtures/admin/", import.meta.url);

/** The example of the state's contract. */
export function exampleState(): ConsoleState {
  return JSON.parse(readFileSync(new URL("state.json", folder), "utf8"));
}

/** The example of an explained pick. */
export function examplePick(): ExplainedPick {
  return JSON.parse(readFileSync(new URL("pick.json", folder), "utf8"));
}

/** `count` workers after the first of the example, each a little busier than the one before. */
export function manyWorkers(count: number): ConsoleWorker[] {
  const [first] = exampleState().workers;
  if (first === undefined) throw new Error("the example has no worker");
  const [rank] = first.ranks;
  if (rank === undefined) throw new Error("the example's worker has no rank");
  return Array.from({ length: count }, (_, i) => ({
    ...first,
    id: String(1_000 + i),
    name: `gpu-${String(i).padStart(3, "0")}`,
    endpoint: `10.0.${i >> 8}.${i & 255}:8000`,
    health: i % 100 === 99 ? "unhealthy" : "healthy",
    isEligible: i % 100 !== 99,
    ranks: [{ ...rank, booked: { ...rank.booked, requests: i, decodeBlocks: 10 * i } }],
  }));
}

/** A quarter of an hour up to `endMs`, in which the hit rate grows. */
export function exampleHistory(endMs: number): ConsoleHistory {
  const intervalMs = 5_000;
  const spanMs = 900_000;
  const last = Math.floor(endMs / intervalMs) * intervalMs;
  const numbers = Array.from({ length: spanMs / intervalMs }, (_, i) => i);
  const picks = numbers.map((i) => 20 + Math.round(8 * Math.sin(i / 9)));
  return {
    intervalMs,
    spanMs,
    atMs: numbers.map((i) => last - (numbers.length - 1 - i) * intervalMs),
    picks,
    refusals: numbers.map(() => 0),
    promptBlocks: picks.map((amount) => amount * 80),
    heldBlocks: picks.map((amount, i) => Math.round(amount * 80 * (0.9 - 0.7 * Math.exp(-i / 30)))),
    picksPerSecond: picks.map((amount) => amount / 5),
    requests: picks,
    latest: { picksPerSecond: 5.2, refusalsPerSecond: 0, promptBlocks: 4_160, heldBlocks: 3_619, hitRatio: 0.87 },
  };
}
