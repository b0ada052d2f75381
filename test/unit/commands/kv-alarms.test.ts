import { describe, expect, it } from "vitest";
import { KvAlarms, type RankSigns } from "../../../src/commands/kv-alarms.ts";

const healthy: RankSigns = {
  status: {
    isConnected: true,
    isStale: false,
    isReadable: true,
    lastSequence: 3,
    silentMs: 10,
    hasSeenEvents: true,
    lastSentAtMs: undefined,
    foreignBlockSize: undefined,
  },
  isSilent: false,
  blocks: 0,
  blockSize: 16,
  conflicts: 0,
  unmatchedPrompts: 0,
};

function alarms() {
  const lines: string[] = [];
  const log = {
    warn: (fields: object, message: string) => lines.push(`warn ${JSON.stringify(fields)} ${message}`),
    info: (fields: object, message: string) => lines.push(`info ${JSON.stringify(fields)} ${message}`),
  };
  return { lines, alarms: new KvAlarms(log) };
}

function sick(change: Partial<RankSigns> & { readonly seen?: Partial<RankSigns["status"]> }): RankSigns {
  const { seen = {}, ...signs } = change;
  return { ...healthy, ...signs, status: { ...healthy.status, ...seen } };
}

describe("KvAlarms", () => {
  it.each([
    {
      kind: "silent",
      signs: sick({ isSilent: true, seen: { hasSeenEvents: false } }),
      says: "publishes no KV events (are they enabled in the engine?): its cache counts as empty",
    },
    {
      kind: "silent",
      signs: sick({ isSilent: true, seen: { hasSeenEvents: false, isConnected: false } }),
      says: "publishes no KV events (their address cannot be reached): its cache counts as empty",
    },
    {
      kind: "silent",
      signs: sick({ isSilent: true }),
      says: "no KV events came for prompts that were new to the worker (does its engine still publish them?)",
    },
    {
      kind: "silent",
      signs: sick({ isSilent: true, blocks: 3, seen: { hasSeenEvents: false, isConnected: false } }),
      says: "new to the worker (their address cannot be reached): what it holds is known as it was",
    },
    {
      kind: "block_size_mismatch",
      signs: sick({ seen: { foreignBlockSize: 64 } }),
      says: "64 tokens, the model's blockSize is 16",
    },
    { kind: "hash_mismatch", signs: sick({ unmatchedPrompts: 3 }), says: "do not turn up in its cache" },
    { kind: "stale", signs: sick({ seen: { isStale: true } }), says: "lost for good" },
    { kind: "unreadable", signs: sick({ seen: { isReadable: false } }), says: "no KV events that are known" },
  ])(
    "says once that a rank is $kind ($says), shows it as long as it lasts, and says when it is over",
    ({ kind, signs, says }) => {
      const { lines, alarms: rank } = alarms();
      rank.look(healthy, 0);
      expect(lines).toEqual([]);
      for (const nowMs of [1_000, 2_000, 500_000]) rank.look(signs, nowMs);
      expect(rank.problems).toMatchObject([{ kind, message: expect.stringContaining(says) }]);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(`warn {"problem":"${kind}"}`);
      expect(lines[0]).toContain(says);
      rank.look(healthy, 501_000);
      expect(rank.problems).toEqual([]);
      expect(lines[1]).toContain(`info {"problem":"${kind}"}`);
    },
  );

  it("says again after ten minutes what has not ended", () => {
    const { lines, alarms: rank } = alarms();
    for (const nowMs of [0, 599_999, 600_000, 700_000]) rank.look(sick({ isSilent: true }), nowMs);
    expect(lines).toHaveLength(2);
  });

  it("does not say each time what comes and goes", () => {
    const { lines, alarms: rank } = alarms();
    for (let nowMs = 0; nowMs < 60_000; nowMs += 2_000) {
      rank.look(sick({ isSilent: true }), nowMs);
      rank.look(healthy, nowMs + 1_000);
    }
    expect(lines.filter((line) => line.startsWith("warn"))).toHaveLength(1);
  });

  it("counts a hash that changed its meaning for a minute, and none that changed before the first look", () => {
    const { alarms: rank } = alarms();
    rank.look(sick({ conflicts: 5 }), 0);
    expect(rank.problems).toEqual([]);
    rank.look(sick({ conflicts: 6 }), 1_000);
    expect(rank.problems).toMatchObject([{ kind: "hash_mismatch" }]);
    rank.look(sick({ conflicts: 6 }), 60_999);
    expect(rank.problems).toHaveLength(1);
    rank.look(sick({ conflicts: 6 }), 61_000);
    expect(rank.problems).toEqual([]);
  });

  it("takes one or two prompts that do not turn up for chance", () => {
    const { alarms: rank } = alarms();
    rank.look(sick({ unmatchedPrompts: 2 }), 0);
    expect(rank.problems).toEqual([]);
  });
});
