import { describe, expect, it } from "vitest";
import { ask } from "../support/client.ts";
import { opening } from "../support/prompts.ts";
import { headerOf, recordOf } from "../support/worker-records.ts";
import type { GatewayOf } from "./describe-on.ts";

const stripped = [
  "x-worker-instance-id",
  "x-prefill-instance-id",
  "x-dp-rank",
  "x-prefill-dp-rank",
  "x-dynamo-prefill-instance-id",
  "x-dynamo-prefill-dp-rank",
  "x-data-parallel-rank",
  "x-prefiller-host-port",
  "x-encoder-hosts-ports",
  "x-data-parallel-host-port",
  "x-kv-cache-source-host-port",
  "x-gateway-inference-objective",
  "x-llm-d-inference-objective",
  "x-gateway-inference-fairness-id",
  "x-llm-d-inference-fairness-id",
  "x-gateway-destination-endpoint-served",
  "x-llm-d-anything",
];

const kept = ["x-dynamo-session-id", "x-dynamo-meta-team", "x-dynamo-request-note", "authorization", "x-other"];

/** A client cannot choose a worker by headers; its other headers arrive. */
export function testsOfHeaders(gateway: GatewayOf): void {
  describe("headers", () => {
    it("strips what would choose a worker and keeps the rest", async () => {
      const headers = Object.fromEntries([...stripped, ...kept].map((name) => [name, "client"]));
      const answer = await ask(gateway(), opening(11), { headers });
      expect(answer.status).toBe(200);
      const { record } = recordOf(gateway(), answer.requestId);
      expect(stripped.filter((name) => headerOf(record, name) !== undefined)).toEqual([]);
      expect(kept.filter((name) => headerOf(record, name) !== "client")).toEqual([]);
    });

    it("replaces a client's own routing headers by the pick's", async () => {
      const headers = {
        "x-gateway-destination-endpoint": "127.0.0.1:1",
        "x-dynamo-worker-instance-id": "1",
        "x-dynamo-dp-rank": "9",
        "x-dynamo-routing-mode": "client",
      };
      const answer = await ask(gateway(), opening(12), { headers });
      expect(answer.status).toBe(200);
      const { record, worker } = recordOf(gateway(), answer.requestId);
      expect(headerOf(record, "x-gateway-destination-endpoint")).toBe(worker.endpoint);
      expect(headerOf(record, "x-dynamo-worker-instance-id")).toMatch(/^\d{2,}$/);
      expect(headerOf(record, "x-dynamo-dp-rank")).toBe("0");
      expect(headerOf(record, "x-dynamo-routing-mode")).not.toBe("client");
    });
  });
}
