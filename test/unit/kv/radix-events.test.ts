import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { chainHashes, PrefixIndex } from "../../../src/kv/index.ts";
import { words } from "./u64.ts";

interface Step {
  readonly op: "store" | "remove" | "query" | "clear" | "remove_worker";
  readonly worker: number;
  readonly dp_rank?: number;
  readonly parent: string | null;
  readonly blocks_local_ext: readonly [string, string][];
  readonly hashes: readonly string[];
  readonly local_hashes: readonly string[];
  readonly scores_wid_rank_blocks: readonly [number, number, number][];
}
interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
}
const file = new URL("../../fixtures/kv/radix_events.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Script[] };

/**
 * Where Dynamo forgets the tail behind a hole, mixes up workers with different engine hashes, or drops a child that comes
 * before its parent: what the workers really hold, computed by a second implementation (per worker, hash -> parent and content).
 */
const deliberate: Readonly<Record<string, readonly [number, number, number][]>> = {
  "remove_tail_then_mid_then_restore 7": [
    [1, 0, 3],
    [2, 0, 4],
  ],
  "remove_tail_then_mid_then_restore 9": [[1, 0, 3]],
  "dp_ranks_isolated_and_clear 8": [
    [1, 0, 2],
    [1, 1, 3],
  ],
  "same_local_path_different_ext_hashes_per_worker 4": [
    [1, 0, 2],
    [2, 0, 1],
  ],
  "same_local_path_different_ext_hashes_per_worker 6": [[2, 0, 1]],
  "different_ext_hashes_continuation_is_dropped 3": [
    [1, 0, 2],
    [2, 0, 3],
  ],
  "different_ext_hashes_continuation_is_dropped 5": [
    [1, 0, 3],
    [2, 0, 3],
  ],
  "mid_removal_keeps_engine_tail_restored_by_one_block 4": [[1, 0, 5]],
  "mid_removal_keeps_engine_tail_restored_by_one_block 6": [[1, 0, 5]],
};

class Workers {
  readonly index = new PrefixIndex({ blockSize: 4, maxBlocks: 10_000 });
  readonly #slots: string[] = [];

  slot(step: Step): number {
    const key = `${step.worker} ${step.dp_rank}`;
    const known = this.#slots.indexOf(key);
    return known === -1 ? this.#slots.push(key) - 1 : known;
  }

  slotsOf(step: Step): number[] {
    return this.#slots.flatMap((key, slot) =>
      key.startsWith(`${step.worker} `) &&
      (step.dp_rank === undefined || step.op !== "clear" || key.endsWith(` ${step.dp_rank}`))
        ? [slot]
        : [],
    );
  }

  scores(localHashes: readonly string[]): number[][] {
    const local = words(localHashes);
    const out = new Int32Array(this.#slots.length);
    this.index.overlaps({ count: localHashes.length, local, sequence: chainHashes(local) }, out);
    return this.#slots
      .map((key, slot) => [...key.split(" ").map(Number), out[slot] ?? 0])
      .filter(([, , blocks]) => blocks !== 0)
      .sort(([worker = 0, rank = 0], [otherWorker = 0, otherRank = 0]) => worker - otherWorker || rank - otherRank);
  }
}

function apply(workers: Workers, step: Step): void {
  const { index } = workers;
  if (step.op === "store") {
    const [low = 0, high = 0] = step.parent === null ? [] : words([step.parent]);
    index.store(workers.slot(step), {
      parentHash: step.parent === null ? undefined : { low, high },
      blockHashes: words(step.blocks_local_ext.map(([, hash]) => hash)),
      localHashes: words(step.blocks_local_ext.map(([local]) => local)),
    });
  } else if (step.op === "remove") {
    index.remove(workers.slot(step), words(step.hashes));
  } else {
    for (const slot of workers.slotsOf(step)) index.clear(slot);
  }
}

describe("PrefixIndex answers Dynamo's scripts", () => {
  it.each(cases)("$name", ({ name, steps }) => {
    const workers = new Workers();
    const differences: unknown[] = [];
    steps.forEach((step, i) => {
      if (step.op !== "query") {
        apply(workers, step);
        return;
      }
      const scores = workers.scores(step.local_hashes);
      const expected = deliberate[`${name} ${i}`] ?? step.scores_wid_rank_blocks;
      if (JSON.stringify(scores) !== JSON.stringify(expected))
        differences.push({ query: `${name} ${i}`, scores, expected });
    });
    expect(differences).toEqual([]);
  });
});
