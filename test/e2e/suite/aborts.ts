import { describe, expect, it } from "vitest";
import { pathByApi } from "../../support/load/index.ts";
import { ask, askBody } from "../support/client.ts";
import { idle, loadOf } from "../support/picker-metrics.ts";
import { opening, proseOfBytes } from "../support/prompts.ts";
import { RawExchange } from "../support/raw-http.ts";
import { until } from "../support/until.ts";
import type { GatewayOf } from "./describe-on.ts";

/** A client that leaves takes its load with it, wherever its request was. */
export function testsOfAborts(gateway: GatewayOf): void {
  describe("aborts", () => {
    const send = (body: string): Promise<RawExchange> =>
      RawExchange.post(gateway().ports.gateway, pathByApi.chat, body);
    const delay = (delayMs: number): void => {
      for (const worker of gateway().workers) worker.configure({ delayMs });
    };

    it("frees the load of clients that leave in the middle of a stream", async () => {
      const body = askBody(opening(31), { stream: true, outputTokens: 60_000 });
      const exchanges = await Promise.all(Array.from({ length: 8 }, () => send(body)));
      await Promise.all(exchanges.map((exchange) => exchange.receive("data: ")));
      await until(async () => (await loadOf(gateway())).requests === 8, { what: "eight booked requests" });
      for (const exchange of exchanges) exchange.abort();
      await idle(gateway());
      await until(() => gateway().workers.every((worker) => worker.stats().running === 0), { what: "idle workers" });
    });

    it("frees the load of clients that leave while the worker has not answered yet", async () => {
      delay(600_000);
      try {
        const body = askBody(opening(32));
        const exchanges = await Promise.all(Array.from({ length: 8 }, () => send(body)));
        await until(async () => (await loadOf(gateway())).requests === 8, { what: "eight booked requests" });
        for (const exchange of exchanges) exchange.abort();
        await idle(gateway());
      } finally {
        delay(0);
      }
    });

    it("drops requests whose clients leave while the picker is still at work", async () => {
      // A machine that looks late finds the streams all the same: no worker has answered by then.
      delay(600_000);
      try {
        const body = askBody(opening(33, 150_000));
        const exchanges = await Promise.all(Array.from({ length: 4 }, () => send(body)));
        await until(async () => (await loadOf(gateway())).streams > 0, { what: "a stream at the picker" });
        for (const exchange of exchanges) exchange.abort();
        await idle(gateway());
      } finally {
        delay(0);
      }
    });

    it("drops requests whose clients leave in the middle of the upload", async () => {
      const head = { "content-length": "100000", "content-type": "application/json" };
      const exchanges = await Promise.all(Array.from({ length: 8 }, () => RawExchange.open(gateway().ports.gateway)));
      for (const exchange of exchanges)
        exchange.head("POST", pathByApi.chat, head).write(`{"model":"${proseOfBytes(34, 50_000)}`);
      await until(async () => (await loadOf(gateway())).streams > 0, { what: "a stream at the picker" });
      for (const exchange of exchanges) exchange.abort();
      await idle(gateway());
      expect((await ask(gateway(), opening(35))).status).toBe(200);
    });
  });
}
