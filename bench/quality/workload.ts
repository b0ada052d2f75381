import { hashBlocks } from "../../src/kv/index.ts";
import { engineFigures, type SimulatedRequest, seededRandom } from "../../src/replay/index.ts";
import { weightedIndex } from "../../test/support/load/weighted-index.ts";
import { exponential } from "./exponential.ts";

export const { blockSize } = engineFigures;

/** What clients ask for. */
export interface Workload {
  readonly name: string;
  readonly about: string;
  /** Requests that come by themselves, in order of time. */
  requests(seed: number): SimulatedRequest[];
}

/** Requests that come at random, each a system prompt with a question of its own. */
function singleTurn(
  name: string,
  about: string,
  perSecond: number,
  systemTokens: number,
  tenants: readonly number[],
): Workload {
  return {
    name,
    about,
    requests: (seed) => {
      const random = seededRandom(seed);
      const requests: SimulatedRequest[] = [];
      for (let atMs = 0; atMs < 60_000; atMs += 1_000 * exponential(random, perSecond)) {
        const tenant = weightedIndex(tenants, random);
        const own = requests.length + 1;
        requests.push(
          made(
            atMs,
            [
              [1_000_000 + tenant, systemTokens],
              [own, 64 + Math.floor(random() * 128)],
            ],
            100 + Math.floor(random() * 200),
          ),
        );
      }
      return requests;
    },
  };
}

/** Conversations that share a system prompt and grow by each turn. */
function conversations(name: string, about: string, sessions: number, turns: number, turnTokens: number): Workload {
  return {
    name,
    about,
    requests: (seed) => {
      const random = seededRandom(seed);
      return Array.from({ length: sessions }, (_, session) => {
        const lengths = Array.from(
          { length: turns },
          () => [turnTokens / 2 + Math.floor(random() * turnTokens), 80 + Math.floor(random() * 160)] as const,
        );
        const turn = (number: number, atMs: number): SimulatedRequest => {
          const parts: [number, number][] = [[1_000_000, 2_048]];
          for (let i = 0; i <= number; i++) parts.push([session * 1_000 + i, lengths[i]?.[0] ?? 0]);
          const following = number + 1 < turns ? () => turn(number + 1, 1_000) : undefined;
          return made(atMs, parts, lengths[number]?.[1] ?? 0, following);
        };
        return turn(0, random() * 10_000);
      }).toSorted((a, b) => a.atMs - b.atMs);
    },
  };
}

/** @param parts text number and its tokens: equal texts have equal tokens */
function made(
  atMs: number,
  parts: readonly (readonly [text: number, tokens: number])[],
  outputTokens: number,
  next?: () => SimulatedRequest,
): SimulatedRequest {
  const promptTokens = parts.reduce((sum, [, tokens]) => sum + tokens, 0);
  const ids = new Uint32Array(promptTokens);
  let at = 0;
  for (const [text, tokens] of parts) for (let i = 0; i < tokens; i++) ids[at++] = (text * 8_191 + i) % 4_000_000;
  return { atMs, promptTokens, hashes: hashBlocks(ids, { blockSize }), outputTokens, next };
}

/** The workloads of the report. */
export const workloads: readonly Workload[] = [
  singleTurn("one prompt, calm", "one system prompt of 2,048 tokens for all, 20 requests/s", 20, 2_048, [1]),
  singleTurn("one prompt, busy", "the same, 80 requests/s", 80, 2_048, [1]),
  singleTurn("long prompt, calm", "one system prompt of 16,384 tokens, 10 requests/s", 10, 16_384, [1]),
  singleTurn("long prompt", "one system prompt of 16,384 tokens, 40 requests/s", 40, 16_384, [1]),
  singleTurn("three tenants", "system prompts of three tenants, 70:20:10, 60 requests/s", 60, 4_096, [7, 2, 1]),
  conversations("conversations", "240 conversations of 6 turns that share a system prompt", 240, 6, 512),
  conversations("agents", "32 conversations of 12 turns with much new text in each", 32, 12, 2_048),
];
