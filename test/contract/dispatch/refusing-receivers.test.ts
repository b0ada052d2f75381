import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AnswerReceiver, DispatchError, WorkerPools } from "../../../src/dispatch/index.ts";

/** Longer than what is handed over together. */
const longBody = Buffer.alloc(200_000, "x");
let worker: Server;
let endpoint: string;
let pools: WorkerPools;
beforeEach(async () => {
  worker = createServer((request, response) => response.end(request.url === "/long" ? longBody : "short"));
  worker.listen(0, "127.0.0.1");
  await once(worker, "listening");
  endpoint = `127.0.0.1:${(worker.address() as AddressInfo).port}`;
  pools = new WorkerPools(
    {
      tlsOf: () => undefined,
      maxConnections: 1,
      connectTimeoutMs: 5_000,
      connectionWaitTimeoutMs: 5_000,
      headTimeoutMs: 5_000,
      stallTimeoutMs: 5_000,
      maxHeaderBytes: 16_384,
      keepAliveMs: 5_000,
    },
    { now: () => performance.now(), after: () => () => undefined },
  );
});
afterEach(async () => {
  await pools.close();
  worker.close();
});

/** What a receiver is told that throws at one of its calls. */
function told(path: string, refused?: keyof AnswerReceiver) {
  return new Promise<{ calls: string[]; error?: DispatchError }>((resolve) => {
    const calls: string[] = [];
    const take = (call: keyof AnswerReceiver) => {
      if (calls.at(-1) !== call) calls.push(call);
      if (call === refused) throw new Error(`refused at ${call}`);
    };
    pools.send(
      { endpoint, method: "GET", path, headers: [], body: undefined },
      {
        sent: () => take("sent"),
        head: () => take("head"),
        data: () => take("data"),
        end: () => {
          take("end");
          resolve({ calls });
        },
        failed: (error) => resolve({ calls, error }),
      },
    );
  });
}

describe("a receiver that throws is told that the exchange failed", () => {
  const allCalls = ["sent", "head", "data", "end"] as const;
  it.each(allCalls.flatMap((call) => ["/short", "/long"].map((path) => ({ call, path }))))(
    "at $call, $path",
    async ({ call, path }) => {
      const { calls, error } = await told(path, call);
      expect(calls).toEqual(allCalls.slice(0, allCalls.indexOf(call) + 1));
      expect(error).toBeInstanceOf(DispatchError);
      expect(error?.cause).toMatchObject({ message: `refused at ${call}` });
      expect((await told(path)).calls).toEqual(allCalls);
    },
  );
});
