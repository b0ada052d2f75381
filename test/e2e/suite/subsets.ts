import { describe, expect, it } from "vitest";
import { ask, get } from "../support/client.ts";
import { subsetHeader } from "../support/envoy-patches.ts";
import { eventsFollowed } from "../support/picker-metrics.ts";
import { opening } from "../support/prompts.ts";
import { arrivalsOf } from "../support/worker-records.ts";
import type { GatewayOf } from "./describe-on.ts";

/** The gateway may limit the choice to some workers. */
export function testsOfSubsets(gateway: GatewayOf): void {
  describe("subsets", () => {
    const within = (subset: string) => ({ headers: { [subsetHeader]: subset } });

    it("keeps to the subset, even when another worker has the prompt cached", async () => {
      const cached = await ask(gateway(), opening(21));
      await eventsFollowed(gateway());
      for (const { name, endpoint } of gateway().workers) {
        const answer = await ask(gateway(), opening(21), within(endpoint));
        expect([answer.status, answer.worker]).toEqual([200, name]);
      }
      expect(cached.status).toBe(200);
    });

    it("chooses among several, and takes an address without a port for all of its ports", async () => {
      const [first, second] = gateway().workers;
      const two = await ask(gateway(), opening(22), within(`${first?.endpoint}, ${second?.endpoint}`));
      expect([first?.name, second?.name]).toContain(two.worker);
      expect((await ask(gateway(), opening(23), within("127.0.0.1"))).status).toBe(200);
    });

    it("answers 503 with Retry-After when no worker of the subset is known", async () => {
      const answer = await ask(gateway(), opening(24), within("127.0.0.1:1"));
      expect(answer.status).toBe(503);
      expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
      expect(JSON.parse(answer.body)).toHaveProperty("error.message");
      expect(arrivalsOf(gateway(), answer.requestId)).toEqual([]);
    });

    it("holds for requests that have only headers", async () => {
      for (const { name, endpoint } of gateway().workers) {
        const answer = await get(gateway(), "/v1/models", within(endpoint).headers);
        expect([answer.status, answer.worker]).toEqual([200, name]);
      }
      expect((await get(gateway(), "/v1/models", within("127.0.0.1:1").headers)).status).toBe(503);
    });
  });
}
