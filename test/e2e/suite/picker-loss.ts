import { describe, expect, it } from "vitest";
import { pathByApi } from "../../support/load/index.ts";
import { ask, askBody } from "../support/client.ts";
import { failingOpen } from "../support/envoy-patches.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { eventsFollowed } from "../support/picker-metrics.ts";
import { opening } from "../support/prompts.ts";
import { RawExchange } from "../support/raw-http.ts";
import { describeOn } from "./describe-on.ts";

/** The picker goes away: what clients see, and that everything is well once it is back. */
export function testsOfPickerLoss(own: Pick<GatewayOptions, "kind" | "launcher">): void {
  describe("a lost picker", () => {
    describeOn("with an Envoy that fails closed", { ...own, patches: [failingOpen(false)] }, (gateway) => {
      it("is answered 503 until it is back", async () => {
        await gateway().stopPicker("SIGKILL");
        expect((await ask(gateway(), opening(51))).status).toBe(503);
        await gateway().startPicker();
        expect((await ask(gateway(), opening(51))).status).toBe(200);
      });

      it("lets running answers end when it is told to stop, and learns the workers' caches when it is back", async () => {
        const warm = await ask(gateway(), opening(52));
        const body = askBody(opening(53), { stream: true, outputTokens: 500 });
        const exchange = await RawExchange.open(gateway().ports.gateway);
        exchange.head("POST", pathByApi.chat, { "content-length": `${Buffer.byteLength(body)}` }).write(body);
        await exchange.receive("data: ");
        expect(await gateway().stopPicker("SIGTERM")).toBe("exit code 0");
        expect(String((await exchange.response()).body)).toContain("data: [DONE]");
        exchange.abort();
        await gateway().startPicker();
        await eventsFollowed(gateway());
        const again = await ask(gateway(), opening(52));
        expect([again.status, again.worker]).toEqual([200, warm.worker]);
        const pick = await gateway().picker.pickOf(again.requestId);
        expect(pick.predictedCachedTokens).toBeGreaterThan(0);
      });
    });

    describeOn("with an Envoy that fails open", { ...own, patches: [failingOpen(true)] }, (gateway) => {
      // Without a picker nobody names the worker that ORIGINAL_DST needs.
      const status = own.kind.hosts === "original-dst" ? 503 : 200;

      it(`is answered ${status} once its death is noticed, and picks when it is back`, async () => {
        await gateway().stopPicker("SIGKILL");
        for (let count = 0; count < 8; count++) expect((await ask(gateway(), opening(54))).status).toBe(status);
        await gateway().startPicker();
        const answer = await ask(gateway(), opening(54));
        expect(answer.worker).toBe((await gateway().picker.pickOf(answer.requestId)).worker);
      });
    });
  });
}
