import { describe, expect, it } from "vitest";
import { SentPromptCheck } from "../../../src/commands/sent-prompt-check.ts";
import { Catalogue, type StaticWorkerEntry, staticWorkers } from "../../../src/fleet/index.ts";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { FakeClock } from "../load/fake-clock.ts";

const publishing = { kvEvents: "tcp://10.0.0.1:5557" };

function setup(entry: Partial<StaticWorkerEntry> = publishing, afterMs = 1_000) {
  const catalogue = new Catalogue();
  const worker = { name: "w", endpoint: "10.0.0.1:80", ...entry };
  catalogue.replaceAll(staticWorkers([worker]));
  const [rank] = catalogue.ranksFor(undefined);
  if (rank === undefined) throw new Error("no rank");
  const index = new PrefixIndex({ blockSize: 4, maxBlocks: 100 });
  const clock = new FakeClock();
  const check = new SentPromptCheck(afterMs, clock);
  const model = { name: "m", aliases: [], pipeline: undefined, index };
  return {
    clock,
    check,
    rank,
    send: (first: number, tokens = 8) => check.onSent(rank, model, hashesOf(first, tokens)),
    store: (first: number) => {
      const { sequence, local } = hashesOf(first, 8);
      index.store(rank.slot, { parentHash: undefined, blockHashes: sequence, localHashes: local });
    },
    look: (afterMs: number) => {
      clock.advance(afterMs);
      check.look();
      return check.unmatchedOf(rank);
    },
  };
}

function hashesOf(first: number, tokens: number) {
  return hashBlocks(
    Uint32Array.from({ length: tokens }, (_, i) => first + i),
    { blockSize: 4 },
  );
}

describe("SentPromptCheck", () => {
  it("counts prompts in a row that do not turn up, and begins again when one does", () => {
    const { send, store, look } = setup();
    send(100);
    expect(look(999)).toBe(0);
    expect(look(1)).toBe(1);
    send(200);
    expect(look(1_000)).toBe(2);
    send(300);
    store(300);
    expect(look(1_000)).toBe(0);
  });

  it("looks at one prompt at a time", () => {
    const { send, look } = setup();
    for (const first of [100, 200, 300]) send(first);
    expect(look(5_000)).toBe(1);
    expect(look(5_000)).toBe(1);
  });

  it.each([
    { name: "a worker without KV events", entry: {} },
    { name: "a worker that decodes for others", entry: { ...publishing, role: "decode" } },
  ] as const)("leaves out $name", ({ entry }) => {
    const { send, look } = setup(entry);
    send(100);
    expect(look(5_000)).toBe(0);
  });

  it("leaves out a prompt of less than a block, and everything when set so", () => {
    const short = setup();
    short.send(100, 3);
    expect(short.look(5_000)).toBe(0);
    const off = setup(publishing, 0);
    off.send(100);
    expect(off.look(5_000)).toBe(0);
  });

  it("forgets a rank that is gone", () => {
    const { check, rank, send, look } = setup();
    send(100);
    look(1_000);
    send(100);
    check.forget(rank.slot);
    expect(look(5_000)).toBe(0);
  });
});
