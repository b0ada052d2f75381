import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { memoryUsage } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, it } from "vitest";
import { BodyIntake, FrontServer, systemClock } from "../../../src/http/index.ts";
import { roomyLimits } from "./support.ts";

setFlagsFromString("--expose-gc");
const MiB = 1_048_576;
const collect = runInNewContext("gc") as () => void;

const servers: FrontServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server that answers with the length of a body of up to 3 MiB, or with the status of its refusal. */
async function startFront(): Promise<string> {
  const limits = { maxBodyBytes: 3 * MiB, maxHeldBodyBytes: 64 * MiB, requestTimeoutMs: 5_000 };
  const intake = new BodyIntake(limits, systemClock);
  const door = {
    receive: (request: IncomingMessage, response: ServerResponse) => {
      intake.read(request, (error, body) => {
        response.writeHead(error?.status ?? 200).end(String(body.bytes.length));
        body.release();
      });
    },
    setReady: () => undefined,
    closeConnections: () => undefined,
    abandonAll: () => undefined,
  };
  const log = { info: () => undefined, error: () => undefined, warn: () => undefined };
  const place = { setting: "proxy.listen", host: "127.0.0.1", port: 0, tls: { kind: "off" } } as const;
  const server = await FrontServer.start(door, { ...place, drainNoticeMs: 0, limits: roomyLimits }, log);
  servers.push(server);
  return server.address;
}

const part = Buffer.alloc(MiB, 0x20);

/** Sends a body in chunks and returns the first line of the answer; the connection stays. */
async function answerTo(address: string, mebibytes: number): Promise<string> {
  const [host = "", port] = address.split(":");
  const socket = connect(Number(port), host);
  sockets.push(socket);
  socket.write(
    "POST /thing HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
  );
  for (let i = 0; i < mebibytes; i++) {
    socket.write(`${MiB.toString(16)}\r\n`);
    socket.write(part);
    socket.write("\r\n");
  }
  socket.write("0\r\n\r\n");
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return String(bytes).split("\r\n", 1)[0] ?? "";
}

it.each([
  { name: "refused", mebibytes: 4, line: "HTTP/1.1 413 Payload Too Large" },
  { name: "taken", mebibytes: 2, line: "HTTP/1.1 200 OK" },
])("a connection that stays keeps nothing of a body that was $name", async ({ mebibytes, line }) => {
  const address = await startFront();
  await answerTo(address, mebibytes);
  collect();
  const before = memoryUsage().arrayBuffers;
  for (let i = 0; i < 20; i++) expect(await answerTo(address, mebibytes)).toBe(line);
  let held = 0;
  // What still comes of the last body is read and dropped.
  for (let looks = 0; looks < 100; looks++) {
    collect();
    held = memoryUsage().arrayBuffers - before;
    if (held < 10 * MiB) break;
    await delay(20);
  }
  expect(held).toBeLessThan(10 * MiB);
});
