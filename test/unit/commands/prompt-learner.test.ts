import { describe, expect, it } from "vitest";
import { PromptLearner } from "../../../src/commands/prompt-learner.ts";
import { Catalogue, staticWorkers } from "../../../src/fleet/index.ts";
import { GuessedBlocks, hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { FakeClock } from "../load/fake-clock.ts";

const hashes = hashBlocks(
  Uint32Array.from({ length: 40 }, (_, i) => i),
  { blockSize: 4 },
);

interface Settings {
  readonly ttlMs?: number;
  readonly maxBlocksPerRank?: number;
  readonly predictedTtlMs?: number;
  readonly totalKvBlocks?: number;
}

/** Sends a prompt of ten blocks to a worker without KV events, and to one with; returns what each is guessed to hold. */
function guessedAfter(settings: Settings, afterMs = 0): number[] {
  const { ttlMs = 1_000, maxBlocksPerRank = 0, predictedTtlMs = 0, totalKvBlocks } = settings;
  const catalogue = new Catalogue();
  catalogue.replaceAll(
    staticWorkers([
      { name: "mute", endpoint: "10.0.0.1:80", ...(totalKvBlocks === undefined ? {} : { totalKvBlocks }) },
      { name: "telling", endpoint: "10.0.0.2:80", kvEvents: "tcp://10.0.0.2:5557" },
    ]),
  );
  const guesses = new GuessedBlocks({ maxBlocks: 1_000 });
  const model = { name: "m", aliases: [], pipeline: undefined, index: new PrefixIndex({ blockSize: 4, guesses }) };
  const clock = new FakeClock();
  const options = { ttlMs, maxBlocksPerRank, predictedTtlMs };
  const learner = new PromptLearner(options, clock);
  const ranks = [...catalogue.workers()].flatMap((worker) => worker.ranks);
  for (const rank of ranks) learner.onSent(rank, model, hashes);
  clock.advance(afterMs);
  guesses.expireAll(clock.now());
  const out = new Int32Array(2);
  model.index.overlaps(hashes, out);
  return ranks.map(({ slot }) => out[slot] ?? 0);
}

describe("PromptLearner", () => {
  it.each([
    { name: "guesses of workers without events only", settings: {}, held: [10, 0] },
    { name: "guesses until its time is over", settings: {}, afterMs: 1_000, held: [0, 0] },
    { name: "guesses nothing when set so", settings: { ttlMs: 0 }, held: [0, 0] },
    { name: "predicts what events have not told yet, when set so", settings: { predictedTtlMs: 500 }, held: [10, 10] },
    { name: "predicts for its own time", settings: { predictedTtlMs: 500 }, afterMs: 500, held: [10, 0] },
    { name: "guesses no more than a rank is said to hold", settings: { totalKvBlocks: 6 }, held: [6, 0] },
    { name: "goes by the setting first", settings: { totalKvBlocks: 6, maxBlocksPerRank: 3 }, held: [3, 0] },
  ])("$name", ({ settings, afterMs, held }) => {
    expect(guessedAfter(settings, afterMs)).toEqual(held);
  });
});
