import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { Gateway, type GatewayOptions } from "../support/gateway.ts";

/** Reads the gateway of the surrounding `describe`; only inside of tests and hooks. */
export type GatewayOf = () => Gateway;

/** A gateway for the tests that `body` declares. Shows the logs of a failed test, fails the
 * test during which Envoy died, and checks that it ended well. */
export function describeOn(name: string, options: GatewayOptions, body: (gateway: GatewayOf) => void): void {
  describe(name, () => {
    let gateway: Gateway | undefined;
    const current: GatewayOf = () => {
      if (gateway === undefined) throw new Error("the gateway has not started");
      return gateway;
    };
    beforeAll(async () => {
      gateway = await Gateway.start(options);
    });
    afterEach(({ task }) => {
      if (task.result?.state === "fail") console.error(current().report());
      current().assertEnvoyRuns();
    });
    afterAll(async () => {
      if (gateway !== undefined) expect(await gateway.stop()).toBe(options.launcher.cleanEnding);
    });
    body(current);
  });
}
