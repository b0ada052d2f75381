import type { ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { afterEach, describe, expect, it } from "vitest";
import { FrontServer } from "../../../src/http/index.ts";
import { roomyLimits, sendRaw } from "./support.ts";

const open: FrontServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

/** A server that answers each request 200, and 503 once its connections are to close. */
async function startFront(
  drainNoticeMs: number,
  shared: { readonly port?: number; readonly sharesPort?: boolean } = {},
): Promise<FrontServer> {
  let isClosing = false;
  const door = {
    receive: (_request: unknown, response: ServerResponse) => {
      // As a worker's answer does, it comes later.
      setImmediate(() => response.writeHead(isClosing ? 503 : 200, isClosing ? { connection: "close" } : {}).end());
    },
    setReady: () => undefined,
    closeConnections: () => {
      isClosing = true;
    },
    abandonAll: () => undefined,
  };
  const log = { info: () => undefined, error: () => undefined, warn: () => undefined };
  const place = { setting: "proxy.listen", host: "127.0.0.1", port: 0, tls: { kind: "off" } } as const;
  const server = await FrontServer.start(door, { ...place, ...shared, drainNoticeMs, limits: roomyLimits }, log);
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

describe("a client that leaves within its next request", () => {
  it("takes the answer with it that is under way", async () => {
    const limits = roomyLimits;
    const log = { info: () => undefined, error: () => undefined, warn: () => undefined };
    const place = { setting: "proxy.listen", host: "127.0.0.1", port: 0, tls: { kind: "off" } } as const;
    const left = Promise.withResolvers<void>();
    const door = {
      // Answered by nobody, until its client has left.
      receive: (_request: unknown, response: ServerResponse) => response.once("close", left.resolve),
      setReady: () => undefined,
      closeConnections: () => undefined,
      abandonAll: () => undefined,
    };
    const server = await FrontServer.start(door, { ...place, drainNoticeMs: 0, limits }, log);
    open.push(server);
    const answers = sendRaw(server.address, "GET /one HTTP/1.1\r\nhost: x\r\n\r\nGET /two HT", { ends: true });
    await left.promise;
    expect(await answers).toBe("");
  });
});

describe("a request that another server could read otherwise", () => {
  it.each([
    ["host: x\r\nhost: y\r\nexpect: a", 400],
    ["host: x\r\nhost: y\r\nexpect: 100-continue", 400],
    ["host: x\r\nhost: y\r\nconnection: upgrade\r\nupgrade: h2c", 400],
    ["host: x\r\nexpect: a", 417],
  ])("ends its connection, with whatever event it comes: %j", async (lines, status) => {
    const { address } = await startFront(0);
    const first = `POST / HTTP/1.1\r\n${lines}\r\ncontent-length: 2\r\n\r\n{}`;
    const answers = await sendRaw(address, `${first}GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
  });
});

describe("a front on a shared port", () => {
  it("takes no connections before it is opened: they go to those that are ready", async () => {
    const first = await startFront(0, { sharesPort: true });
    await expect(statusOf(first.address)).rejects.toThrow();
    await first.open();
    const port = Number(first.address.split(":")[1]);
    const second = await startFront(0, { port, sharesPort: true });
    expect(second.address).toBe(first.address);
    await first.close();
    await expect(statusOf(second.address)).rejects.toThrow();
    await second.open();
    expect(await statusOf(second.address)).toBe(200);
  });

  it("is not opened once it is closed", async () => {
    const front = await startFront(0, { sharesPort: true });
    await front.close();
    await front.open();
    await expect(statusOf(front.address)).rejects.toThrow();
  });
});

it.each(["nonsense\r\n\r\n", "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"])(
  "a request that is under way is answered before what cannot be read behind it: %j",
  async (behind) => {
    const { address } = await startFront(0);
    const answers = await sendRaw(address, `GET / HTTP/1.1\r\nhost: x\r\n\r\n${behind}`);
    expect(answers.match(/HTTP\/1.1 \d+/g)?.[0]).toBe("HTTP/1.1 200");
  },
);
