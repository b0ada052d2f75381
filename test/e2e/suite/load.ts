import { describe, expect, it } from "vitest";
import { ask, read } from "../support/client.ts";
import { idle } from "../support/picker-metrics.ts";
import { opening } from "../support/prompts.ts";
import type { GatewayOf } from "./describe-on.ts";

const concurrency = 32;

/** Many requests, none of which may fail: streams to the picker that end in resets must not break others. */
export function testsOfLoad(gateway: GatewayOf, requests: number): void {
  describe("load", () => {
    it(`serves ${requests} requests at concurrency ${concurrency} without one failure`, async () => {
      const failures: string[] = [];
      const perWorker = new Map<string, number>();
      let next = 0;
      const client = async (): Promise<void> => {
        while (next < requests) {
          const failure = await one(gateway, next++, perWorker);
          if (failure !== undefined) failures.push(failure);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, client));
      expect(failures.slice(0, 5)).toEqual([]);
      expect([...perWorker.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
      expect(perWorker.size).toBe(gateway().workers.length);
      await idle(gateway());
    });
  });
}

/** One request, every second one streamed. Returns what was wrong with it. */
async function one(gateway: GatewayOf, index: number, perWorker: Map<string, number>): Promise<string | undefined> {
  const talk = opening(10_000 + (index % 200), 100);
  try {
    const answer = await ask(gateway(), talk, { stream: index % 2 === 1, outputTokens: 2 });
    if (answer.status !== 200) return `${answer.status} ${answer.body.slice(0, 200)}`;
    if (read(answer).outputTokens !== 2) return `incomplete: ${answer.body.slice(-200)}`;
    const worker = answer.worker ?? "nobody";
    perWorker.set(worker, (perWorker.get(worker) ?? 0) + 1);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
