import { expect, it } from "vitest";
import { pathByApi } from "../../support/load/index.ts";
import { ask } from "../support/client.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { idle, loadOf } from "../support/picker-metrics.ts";
import { opening } from "../support/prompts.ts";
import { RawExchange } from "../support/raw-http.ts";
import { until } from "../support/until.ts";
import { describeOn } from "./describe-on.ts";

const maxInFlightRequests = 3;

/** A picker that may do little at a time says so, and recovers. */
export function testsOfLimits(own: Pick<GatewayOptions, "kind" | "launcher">): void {
  const picker = { extProc: { maxInFlightRequests, retryAfterSeconds: 7 } };
  describeOn("with tight limits", { ...own, workers: 1, picker }, (gateway) => {
    it("answers 429 with Retry-After while too many requests are on their way in", async () => {
      const head = { "content-length": "1000" };
      const uploads = [];
      for (let count = 0; count < maxInFlightRequests; count++) {
        uploads.push((await RawExchange.open(gateway().ports.gateway)).head("POST", pathByApi.chat, head).write("{"));
      }
      await until(async () => (await loadOf(gateway())).streams === maxInFlightRequests, { what: "the uploads" });
      const refused = await ask(gateway(), opening(63));
      for (const upload of uploads) upload.abort();
      expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "7"]);
      expect(JSON.parse(refused.body)).toHaveProperty("error.message");
      await idle(gateway());
      expect((await ask(gateway(), opening(63))).status).toBe(200);
    });
  });
  const slow = { extProc: { maxInFlightRequests, bodyDeadlineMs: 500 } };
  describeOn("with a deadline for bodies", { ...own, workers: 1, picker: slow }, (gateway) => {
    it.each([
      { name: "never comes", framing: { "content-length": "1000" }, begun: "" },
      { name: "stops", framing: { "content-length": "1000" }, begun: "{" },
      { name: "stops between chunks", framing: { "transfer-encoding": "chunked" }, begun: "1\r\n{\r\n" },
    ])("answers 408 to a body that $name, and takes others in its place", async ({ framing, begun }) => {
      const uploads = [];
      for (let count = 0; count < maxInFlightRequests; count++) {
        const upload = await RawExchange.open(gateway().ports.gateway);
        uploads.push(upload.head("POST", pathByApi.chat, framing as Record<string, string>).write(begun));
      }
      for (const upload of uploads) {
        const { status, body } = await upload.response();
        expect([status, JSON.parse(body.toString()).error.code]).toEqual([408, "request_timeout"]);
        upload.abort();
      }
      await idle(gateway());
      expect((await ask(gateway(), opening(63))).status).toBe(200);
    });
  });
}
