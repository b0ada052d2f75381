import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Reservation } from "../../../src/load/index.ts";
import { LoadTable } from "../../../src/load/index.ts";
import { sequenceOfNumbers } from "./sequences.ts";

interface Load {
  w: number;
  r: number;
  additional: number;
  decode_blocks: number;
  prefill_tokens: number;
  requests: number;
}

interface Step {
  op: "start" | "add" | "prefill_complete" | "output_block" | "free";
  id: string;
  error?: string | null;
  worker: number;
  dp_rank: number;
  sequence: number[] | null;
  effective_prefill_tokens: number;
  track_prefill: boolean;
  decay: number | null;
  loads_for_query_1_2_3_9: Load[];
}

const file = new URL("../../fixtures/kv/lifecycle.json", import.meta.url);
const { steps } = JSON.parse(readFileSync(file, "utf8")) as { steps: Step[] };
const slotOf = (worker: number, rank: number) => 2 * (worker - 1) + rank;

/** One step of the script on our table. Ids are ours by construction, so that a duplicate add has no counterpart. */
function perform(step: Step, table: LoadTable, live: Map<string, Reservation>): void {
  if (step.op === "add" && step.error === null) {
    const blocks = step.sequence ?? [];
    const reservation = table.reserve(slotOf(step.worker, step.dp_rank), {
      promptTokens: step.effective_prefill_tokens,
      cachedTokens: 0,
      sequence: sequenceOfNumbers(blocks),
      count: blocks.length,
      tracksPrefill: step.track_prefill,
    });
    live.set(step.id, reservation);
  }
  if (step.op === "prefill_complete") live.get(step.id)?.prefillComplete();
  if (step.op === "output_block") live.get(step.id)?.outputBlock(step.decay ?? undefined);
  if (step.op === "free") live.get(step.id)?.release();
}

describe("LoadTable against Dynamo's active sequences", () => {
  const table = new LoadTable();
  const live = new Map<string, Reservation>();
  const query = sequenceOfNumbers([1, 2, 3, 9]);

  it.each(steps.map((step, index) => ({ index, step })))("step $index: $step.op $step.id", ({ step }) => {
    perform(step, table, live);
    for (const load of step.loads_for_query_1_2_3_9) {
      const slot = slotOf(load.w, load.r);
      expect({
        additional: table.blocksNotActive(slot, query, 4),
        decode_blocks: table.activeDecodeBlocks(slot),
        prefill_tokens: table.activePrefillTokens(slot),
        requests: table.activeRequests(slot),
      }).toEqual({
        additional: load.additional,
        decode_blocks: load.decode_blocks,
        prefill_tokens: load.prefill_tokens,
        requests: load.requests,
      });
    }
  });
});
