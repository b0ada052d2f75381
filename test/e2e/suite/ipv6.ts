import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { ask, read } from "../support/client.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { opening } from "../support/prompts.ts";
import { describeOn } from "./describe-on.ts";

/** Workers at IPv6 addresses; declares no test on a machine that has none, since no such worker could be started. */
export function testsOfIpv6(own: Pick<GatewayOptions, "kind" | "launcher">): void {
  const hasIpv6 = networkInterfaces()["lo"]?.some((address) => address.family === "IPv6") ?? false;
  if (!hasIpv6) return;
  describeOn("with IPv6 workers", { ...own, workers: 2, workerOptions: { host: "::1" } }, (gateway) => {
    it("picks them like any other", async () => {
      const answer = await ask(gateway(), opening(71));
      expect(answer.status).toBe(200);
      const pick = await gateway().picker.pickOf(answer.requestId);
      expect([pick.worker, pick.endpoint]).toEqual([answer.worker, expect.stringMatching(/^\[::1\]:\d+$/)]);
      expect(read(answer).promptTokens).toBe(pick.promptTokens);
    });
  });
}
