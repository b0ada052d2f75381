import { performance } from "node:perf_hooks";
import { afterEach, describe, expect, it } from "vitest";
import { FrontServer } from "../../../src/http/index.ts";
import { roomyLimits } from "./support.ts";

const open: FrontServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

/** A server that answers each request 200, and 503 once its connections are to close. */
async function startFront(drainNoticeMs: number): Promise<FrontServer> {
  let isClosing = false;
  const door = {
    receive: (_request: unknown, response: import("node:http").ServerResponse) => {
      response.writeHead(isClosing ? 503 : 200, isClosing ? { connection: "close" } : {}).end();
    },
    setReady: () => undefined,
    closeConnections: () => {
      isClosing = true;
    },
    abandonAll: () => undefined,
  };
  const log = { info: () => undefined, error: () => undefined, warn: () => undefined };
  const place = { setting: "proxy.listen", host: "127.0.0.1", port: 0, tls: { kind: "off" } } as const;
  const server = await FrontServer.start(door, { ...place, drainNoticeMs, limits: roomyLimits }, log);
  open.push(server);
  return server;
}

const statusOf = async (address: string) => (await fetch(`http://${address}/health`)).status;

describe("the end of a front", () => {
  it("is noticed before connections are refused", async () => {
    const server = await startFront(300);
    const { address } = server;
    expect(await statusOf(address)).toBe(200);
    const begunMs = performance.now();
    const drained = server.drain(1_000);
    // A new connection each: the one before has ended with its answer.
    expect(await statusOf(address)).toBe(503);
    expect(await statusOf(address)).toBe(503);
    await drained;
    expect(performance.now() - begunMs).toBeGreaterThan(290);
    await expect(statusOf(address)).rejects.toThrow();
  });

  it("refuses connections at once without a notice", async () => {
    const server = await startFront(0);
    const { address } = server;
    const drained = server.drain(1_000);
    await expect(statusOf(address)).rejects.toThrow();
    await drained;
  });
});
