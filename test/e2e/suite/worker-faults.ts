import { describe, expect, it } from "vitest";
import { ask } from "../support/client.ts";
import { idle } from "../support/picker-metrics.ts";
import { opening } from "../support/prompts.ts";
import type { GatewayOf } from "./describe-on.ts";

/** Workers that fail: the client sees it, the picker forgets the request. */
export function testsOfWorkerFaults(gateway: GatewayOf): void {
  describe("worker faults", () => {
    const withFaults = async (faults: Readonly<Record<string, unknown>>, test: () => Promise<void>): Promise<void> => {
      for (const worker of gateway().workers) worker.configure(faults);
      try {
        await test();
      } finally {
        for (const worker of gateway().workers) worker.configure({ failRate: 0, resetRate: 0 });
      }
    };

    it("passes a worker's own error on and frees the load", async () => {
      await withFaults({ failRate: 1, failStatus: 529 }, async () => {
        const answer = await ask(gateway(), opening(61));
        expect([answer.status, answer.worker !== undefined]).toEqual([529, true]);
        await idle(gateway());
      });
    });

    // When the worker resets before Envoy has passed the head on, the client gets an error of Envoy's own instead of a broken stream.
    it.each([true, false])("frees the load of an answer that breaks off (streamed: %s)", async (stream) => {
      await withFaults({ resetRate: 1 }, async () => {
        const outcome = await ask(gateway(), opening(62), { stream, outputTokens: 20 }).then(
          ({ status }) => status,
          () => "broken off",
        );
        expect(["broken off", 502, 503]).toContain(outcome);
        await idle(gateway());
      });
    });
  });
}
