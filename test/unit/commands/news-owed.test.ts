import { describe, expect, it } from "vitest";
import { NewsOwed } from "../../../src/commands/news-owed.ts";
import { Catalogue, type StaticWorkerEntry, staticWorkers } from "../../../src/fleet/index.ts";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { FakeClock } from "../load/fake-clock.ts";

const publishing = { kvEvents: "tcp://10.0.0.1:5557" };

function setup(entry: Partial<StaticWorkerEntry> = publishing) {
  const catalogue = new Catalogue();
  catalogue.replaceAll(staticWorkers([{ name: "w", endpoint: "10.0.0.1:80", ...entry }]));
  const [rank] = catalogue.ranksFor(undefined);
  if (rank === undefined) throw new Error("no rank");
  const index = new PrefixIndex({ blockSize: 4, maxBlocks: 100 });
  const clock = new FakeClock();
  const owed = new NewsOwed(clock);
  const model = { name: "m", aliases: [], pipeline: undefined, index };
  return {
    clock,
    owed,
    rank,
    send: (tokens: number) => owed.onSent(rank, model, hashesOf(tokens)),
    store: (tokens: number) => {
      const { sequence, local } = hashesOf(tokens);
      index.store(rank.slot, { parentHash: undefined, blockHashes: sequence, localHashes: local });
    },
  };
}

function hashesOf(tokens: number) {
  return hashBlocks(
    Uint32Array.from({ length: tokens }, (_, i) => 100 + i),
    { blockSize: 4 },
  );
}

describe("NewsOwed", () => {
  it("begins with a prompt whose last complete block the rank does not hold", () => {
    const { clock, owed, rank, send, store } = setup();
    const start = clock.now();
    store(8);
    send(12);
    clock.advance(60_000);
    expect(owed.owedMs(rank, start - 1)).toBe(60_000);
  });

  it("is nothing for prompts that are held or shorter than a block, however long nothing was heard", () => {
    const { clock, owed, rank, send, store } = setup();
    const start = clock.now();
    store(8);
    for (const tokens of [3, 4, 8, 11]) send(tokens);
    clock.advance(600_000);
    expect(owed.owedMs(rank, start - 60_000)).toBe(0);
  });

  it("ends when the rank is heard, and begins with the first prompt after that", () => {
    const { clock, owed, rank, send } = setup();
    const start = clock.now();
    send(8);
    clock.advance(1_000);
    send(12);
    clock.advance(1_000);
    expect(owed.owedMs(rank, start - 1)).toBe(2_000);
    expect(owed.owedMs(rank, start + 500)).toBe(1_000);
    expect(owed.owedMs(rank, start + 1_500)).toBe(0);
    expect(owed.owedMs(rank, start - 1)).toBe(0);
    send(16);
    clock.advance(10);
    expect(owed.owedMs(rank, start + 1_500)).toBe(10);
  });

  it("goes with its slot", () => {
    const { clock, owed, rank, send } = setup();
    const start = clock.now();
    send(8);
    clock.advance(1_000);
    owed.forget(rank.slot);
    expect(owed.owedMs(rank, start - 1)).toBe(0);
  });

  it.each([
    { name: "a worker without KV events", entry: {} },
    { name: "a worker that decodes for others", entry: { ...publishing, role: "decode" } },
  ] as const)("leaves out $name", ({ entry }) => {
    const { clock, owed, rank, send } = setup(entry);
    send(8);
    clock.advance(60_000);
    expect(owed.owedMs(rank, -1)).toBe(0);
  });
});
