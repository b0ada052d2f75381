import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answers } from "./answers.ts";
import { availableModels } from "./expectations.ts";
import { type RecordedBody, tokensDigest } from "./recorded-body.ts";

/** Random bodies: `npm run parity:engines -- --record FILE` wrote them. */
const random = readBodies("engine-bodies.jsonl.gz");

/** Random bodies for gpt-oss, whose prompts hold the day on which they were asked: `--models gptoss --seed 9 --spoilt 0`. */
const dated = readBodies("harmony-bodies.jsonl.gz");
const recordedOn = new Date(2026, 10, 30, 12);

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: recordedOn }));
afterEach(() => vi.useRealTimers());

/** Bodies such as client programs send. */
const clients = readBodies("client-shapes.jsonl.gz");

function readBodies(name: string): readonly RecordedBody[] {
  return gunzipSync(readFileSync(join(import.meta.dirname, "..", "fixtures", "parity", name)))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordedBody);
}

const sources = [
  { kind: "random bodies", recorded: random, mostByLoad: 1 / 8 },
  { kind: "clients' bodies", recorded: clients, mostByLoad: 1 / 8 },
  // Many of these texts hold what looks like a token of the model, or images, which Harmony passes over.
  { kind: "bodies for gpt-oss", recorded: dated, mostByLoad: 2 / 5 },
];

const combinations = sources.flatMap(({ kind, recorded, mostByLoad }) => {
  const names = recorded.flatMap(({ tokens }) => Object.keys(tokens).map((name) => name.split(" ")[1] ?? ""));
  return availableModels(new Set(names)).flatMap(({ name: model, folder }) =>
    (["vllm", "sglang"] as const).map((profile) => ({ kind, recorded, mostByLoad, model, profile, folder })),
  );
});

describe.each(combinations)(
  "$profile's tokens of $kind on $model",
  ({ recorded, mostByLoad, model, profile, folder }) => {
    it("are ours, or the choice is by load", async () => {
      const lines = recorded.map(({ path, raw }) => JSON.stringify({ name: "", path, raw }));
      const ours = await answers({ modelDir: folder, model: "model", profile }, lines);
      const counted = { same: 0, byLoad: 0 };
      for (const [index, { raw, tokens }] of recorded.entries()) {
        const theirs = tokens[`${profile} ${model}`] ?? null;
        if (theirs === null) continue;
        const own = tokensDigest(ours[index]?.token_ids ?? null);
        if (own === null) counted.byLoad++;
        else expect(own, raw).toBe(theirs);
        if (own === theirs) counted.same++;
      }
      expect(counted.same).toBeGreaterThan(40);
      expect(counted.byLoad).toBeLessThan(counted.same * mostByLoad);
    });
  },
);
