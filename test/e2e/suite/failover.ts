import { expect, it } from "vitest";
import { ask } from "../support/client.ts";
import { withSubsetHeader } from "../support/envoy-patches.ts";
import { freePorts } from "../support/free-ports.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { idle, isEligible, mismatchesOf } from "../support/picker-metrics.ts";
import { engineModel, type PoolWorker } from "../support/picker-settings.ts";
import { opening } from "../support/prompts.ts";
import { describeOn } from "./describe-on.ts";

const [deadPort = 0] = await freePorts(1);
const dead: PoolWorker = {
  name: "dead",
  endpoint: `127.0.0.1:${deadPort}`,
  kvEventsEndpoint: undefined,
  kvReplayEndpoint: undefined,
};

/** Probes that never come by themselves, so that requests alone tell. */
const onlyRequests = {
  fleet: { healthCheck: { enabled: true, intervalMs: 3_600_000, timeoutMs: 1_000, unhealthyThreshold: 1_000 } },
};

/** A worker that nobody answers at: the next of the picker's list serves, where Envoy takes a list. */
export function testsOfFailover(own: Pick<GatewayOptions, "kind" | "launcher">): void {
  const options: GatewayOptions = { ...own, workers: 2, otherWorkers: [dead], patches: [withSubsetHeader] };
  describeOn("with a dead worker", options, (gateway) => {
    const prompts = Array.from({ length: 12 }, (_, index) => opening(41 + index));

    if (own.kind.hosts === "original-dst") {
      it("answers 503 when the dead worker is picked, and serves the rest", async () => {
        for (const talk of prompts) {
          const answer = await ask(gateway(), talk, { model: engineModel });
          const pick = await gateway().picker.pickOf(answer.requestId);
          expect(answer.status).toBe(pick.worker === dead.name ? 503 : 200);
        }
        await idle(gateway());
      });
      return;
    }

    it("serves every request, by the next worker of the list where the dead one was picked", async () => {
      const picked = [];
      for (const talk of prompts) {
        const answer = await ask(gateway(), talk, { model: engineModel });
        expect(answer.status).toBe(200);
        picked.push((await gateway().picker.pickOf(answer.requestId)).worker);
      }
      const ofDead = picked.filter((name) => name === dead.name).length;
      expect(ofDead).toBeGreaterThan(0);
      expect(await mismatchesOf(gateway())).toBe(ofDead);
      await idle(gateway());
    });

    it("sends a large body again as well", async () => {
      for (let count = 0; count < 6; count++) {
        expect((await ask(gateway(), opening(60 + count, 60_000), { model: engineModel })).status).toBe(200);
      }
    });
  });
}

/** What one request meets, all others are spared. */
export function testsOfUnreachable(own: Pick<GatewayOptions, "kind" | "launcher">): void {
  const options: GatewayOptions = { ...own, workers: 2, otherWorkers: [dead], picker: onlyRequests };
  describeOn("with a dead worker that is not probed", options, (gateway) => {
    it("picks it until Envoy cannot connect to it, and never again", async () => {
      const picked: (string | undefined)[] = [];
      for (let count = 0; count < 20; count++) {
        const answer = await ask(gateway(), opening(41 + count), { model: engineModel });
        picked.push((await gateway().picker.pickOf(answer.requestId)).worker);
        if (picked.at(-1) !== dead.name) expect(answer.status).toBe(200);
      }
      expect(picked.filter((name) => name === dead.name)).toHaveLength(1);
      expect(await isEligible(gateway(), dead.name)).toBe(false);
      await idle(gateway());
    });
  });
}
