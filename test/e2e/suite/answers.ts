import { describe, expect, it } from "vitest";
import { pathByApi } from "../../support/load/index.ts";
import { apis, ask, askBody, get, post, read } from "../support/client.ts";
import { countedTokens, idle } from "../support/picker-metrics.ts";
import { opening } from "../support/prompts.ts";
import { RawExchange } from "../support/raw-http.ts";
import { recordOf } from "../support/worker-records.ts";
import type { GatewayOf } from "./describe-on.ts";

/** Each API, whole and streamed, and requests without a prompt of ours. */
export function testsOfAnswers(gateway: GatewayOf): void {
  describe("answers", () => {
    const cases = apis.flatMap((api) => [
      { api, stream: false, as: "JSON", type: /^application\/json/ },
      { api, stream: true, as: "SSE", type: /^text\/event-stream/ },
    ]);

    it.each(cases)("$api as $as comes whole, from the picked worker, on the injected tokens", async (example) => {
      const { api, stream, type } = example;
      const answer = await ask(gateway(), opening(1), { api, stream, outputTokens: 7 });
      expect(answer.status).toBe(200);
      expect(answer.headers["content-type"]).toMatch(type);
      const said = read(answer);
      const pick = await gateway().picker.pickOf(answer.requestId);
      const { record } = recordOf(gateway(), answer.requestId);
      expect(record.tokenSource).toBe("token_data");
      expect([said.outputTokens, said.promptTokens]).toEqual([7, pick.promptTokens]);
      expect([pick.api, pick.worker]).toEqual([api, answer.worker]);
    });

    it.each(apis)("streams %s live: the first event arrives while the worker still writes", async (api) => {
      const body = askBody(opening(2), { api, stream: true, outputTokens: 60_000 });
      const exchange = await RawExchange.post(gateway().ports.gateway, pathByApi[api], body);
      try {
        await exchange.receive("data: ");
        expect(gateway().workers.map((worker) => worker.stats().running)).toContain(1);
        expect(String(exchange.received)).toContain("HTTP/1.1 200");
      } finally {
        exchange.abort();
      }
      await idle(gateway());
    });

    it.each(cases)("counts the tokens that $api as $as reports", async ({ api, stream }) => {
      await idle(gateway());
      const before = await countedTokens(gateway());
      const said = read(await ask(gateway(), opening(3), { api, stream }));
      await idle(gateway());
      const { input, unread } = await countedTokens(gateway());
      expect([input - before.input, unread - before.unread]).toEqual([said.promptTokens, 0]);
    });

    it("answers a request that has only headers", async () => {
      const answer = await get(gateway(), "/v1/models");
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ object: "list" });
    });

    it("passes a request without a prompt on as it is", async () => {
      const body = JSON.stringify({ model: "qwen3", input: ["one", "two"] });
      const answer = await post(gateway(), "/v1/embeddings", body);
      expect(answer.status).toBe(200);
      const { record } = recordOf(gateway(), answer.requestId);
      expect(Buffer.from(record.bodyHeadBase64, "base64").toString()).toBe(body);
    });
  });
}
