import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AnswerReceiver, DispatchError, WorkerPools } from "../../../src/dispatch/index.ts";

/** Longer than what is handed over together. */
const longBody = Buffer.alloc(200_000, "x");
let worker: Server;
let endpoint: string;
let pools: WorkerPools;
/** What the pools' timer calls. */
let timers: (() => void)[];
let nowMs: number;
let faults: unknown[];
beforeEach(async () => {
  timers = [];
  nowMs = 0;
  faults = [];
  worker = createServer((request, response) => {
    if (request.url === "/reset") request.socket.destroy();
    else if (request.url !== "/silent") response.end(request.url === "/long" ? longBody : "short");
  });
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
    {
      now: () => nowMs,
      after: (_, callback) => {
        timers.push(callback);
        return () => undefined;
      },
    },
    (cause) => faults.push(cause),
  );
});
afterEach(async () => {
  await pools.close();
  worker.closeAllConnections();
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

describe("what a receiver throws that is told of a failure", () => {
  const failure = new Error("refused at failed");
  /** Sends a request whose receiver throws when it fails. @returns a promise of that */
  function refusing(request: { readonly path?: string; readonly endpoint?: string; readonly header?: string }) {
    const { path = "/short", header } = request;
    const headers = header === undefined ? [] : ["x", header];
    return new Promise<void>((resolve) => {
      pools.send(
        { endpoint: request.endpoint ?? endpoint, method: "GET", path, headers, body: undefined },
        {
          head: () => undefined,
          data: () => undefined,
          end: () => {
            throw new Error("refused at end");
          },
          failed: () => {
            resolve();
            throw failure;
          },
        },
      );
    });
  }

  it.each([
    ["at the end of an answer", {}],
    ["when the worker breaks off", { path: "/reset" }],
    ["when there is no worker", { endpoint: "127.0.0.1:1" }],
    ["when the request cannot be sent", { header: "\n" }],
  ])("is told as a fault, and ends nothing else: %s", async (_, request) => {
    await refusing(request);
    expect(faults).toEqual([failure]);
    expect((await told("/short")).calls).toEqual(["sent", "head", "data", "end"]);
  });

  it("is told as a fault when no connection comes free, and the others that wait are told as well", async () => {
    const open = pools.send(
      { endpoint, method: "GET", path: "/silent", headers: [], body: undefined },
      { head: () => undefined, data: () => undefined, end: () => undefined, failed: () => undefined },
    );
    const both = Promise.all([refusing({}), refusing({})]);
    nowMs = 10_000;
    timers.at(-1)?.();
    await both;
    expect(faults).toEqual([failure, failure]);
    open.cancel();
  });
});
