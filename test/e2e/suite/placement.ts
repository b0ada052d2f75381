import { describe, expect, it } from "vitest";
import { apis, ask, read } from "../support/client.ts";
import { eventsFollowed } from "../support/picker-metrics.ts";
import { continued, opening } from "../support/prompts.ts";
import type { GatewayOf } from "./describe-on.ts";

const conversations = 20;

/** Who gets which request: caches first, then load. */
export function testsOfPlacement(gateway: GatewayOf): void {
  describe("placement", () => {
    it.each(apis)(`sends the second turn of ${conversations} %s conversations where the first went`, async (api) => {
      const seeds = Array.from({ length: conversations }, (_, index) => 1_000 * apis.indexOf(api) + 100 + index);
      const firsts = await Promise.all(seeds.map((seed) => ask(gateway(), opening(seed), { api })));
      await eventsFollowed(gateway());
      const seconds = [];
      for (const [index, first] of firsts.entries()) {
        const talk = continued(opening(seeds[index] ?? 0), read(first).text, "And then?");
        seconds.push(await ask(gateway(), talk, { api }));
      }
      expect(seconds.map(({ worker }) => worker)).toEqual(firsts.map(({ worker }) => worker));
      expect(new Set(firsts.map(({ worker }) => worker)).size).toBe(gateway().workers.length);
      for (const second of seconds) {
        const pick = await gateway().picker.pickOf(second.requestId);
        const { cachedTokens } = read(second);
        expect(cachedTokens).toBeGreaterThan(0);
        expect(pick.predictedCachedTokens).toBe(cachedTokens);
      }
    });

    it("spreads new prompts over all workers while they are busy", async () => {
      const prompts = Array.from({ length: 40 }, (_, index) => opening(5_000 + index));
      const answers = await Promise.all(prompts.map((talk) => ask(gateway(), talk, { outputTokens: 200 })));
      const counts = gateway().workers.map(({ name }) => answers.filter(({ worker }) => worker === name).length);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
      for (const count of counts) expect(count).toBeGreaterThanOrEqual(7);
    });
  });
}
