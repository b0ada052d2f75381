import { describe, expect, it } from "vitest";
import { ask } from "../support/client.ts";
import type { EnvoyKind } from "../support/envoy-config.ts";
import { opening } from "../support/prompts.ts";
import type { GatewayOf } from "./describe-on.ts";

const selection = "test-epp-endpoint-selection";
const served = "x-conformance-test-served-endpoint";

/** The headers of the endpoint-picker conformance tests, at a picker that honours them. */
export function testsOfConformance(gateway: GatewayOf, kind: EnvoyKind): void {
  describe("conformance headers", () => {
    it("choose the worker", async () => {
      for (const { name, endpoint } of gateway().workers) {
        const answer = await ask(gateway(), opening(91), { headers: { [selection]: endpoint } });
        expect([answer.status, answer.worker]).toEqual([200, name]);
        // Only override_host tells who served.
        if (kind.hosts === "override-host") expect(answer.headers[served]).toBe(endpoint);
      }
    });
  });
}

/** The same at a picker that has not been told to. */
export function testsOfNoConformance(gateway: GatewayOf): void {
  describe("conformance headers", () => {
    it("are ignored unless a setting turns them on", async () => {
      const answer = await ask(gateway(), opening(92), { headers: { [selection]: "127.0.0.99" } });
      expect([answer.status, answer.headers[served]]).toEqual([200, undefined]);
    });
  });
}
