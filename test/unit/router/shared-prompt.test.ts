import { describe, expect, it } from "vitest";
import { resolvePickOptions } from "../../../src/pick/index.ts";
import { completion, fixture } from "./fixture.ts";

const signal = new AbortController().signal;
const workers = Array.from({ length: 8 }, (_, i) => ({ name: `w${i}`, endpoint: `10.0.0.${i + 1}:80` }));
const shared = "s".repeat(400);

/** Requests by worker when `total` that share a long prompt run at once; one worker holds the prompt from the start. */
async function spread(total: number, options: Parameters<typeof resolvePickOptions>[0]): Promise<number[]> {
  const { router, hold } = fixture({ workers, options: { pick: resolvePickOptions(options) } });
  hold("w0", shared);
  const counts = new Map<string, number>();
  for (let i = 0; i < total; i++) {
    const { endpoint, selection } = await router.route(completion(`${shared}${i}`), signal);
    counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
    // The engine's event follows: whoever computed the prompt holds it.
    hold(selection.answering.rank.worker.name, shared);
  }
  return workers.map(({ endpoint }) => counts.get(endpoint) ?? 0);
}

describe("a system prompt that all requests share", () => {
  it("does not pin them to the worker that holds it", async () => {
    const counts = await spread(64, { prefillLoadScale: 8, crowdingRatio: 1.25, crowdingSlack: 4 });
    expect(Math.max(...counts)).toBeLessThanOrEqual(1.25 * Math.min(...counts) + 5);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
  });

  it("would pin them without the guard", async () => {
    expect((await spread(64, { prefillLoadScale: 8 })).filter((count) => count === 0).length).toBeGreaterThan(3);
  });

  it("stays where it is held while few use it", async () => {
    expect(await spread(4, { prefillLoadScale: 8, crowdingRatio: 1.25, crowdingSlack: 4 })).toEqual([
      4, 0, 0, 0, 0, 0, 0, 0,
    ]);
  });
});
