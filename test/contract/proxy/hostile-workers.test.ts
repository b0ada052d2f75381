import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { call, chatBody } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** A worker that answers each request with these bytes, in pieces, and then does as told. */
async function startRaw(pieces: readonly string[], ending: "close" | "reset" | "stay"): Promise<{ endpoint: string }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", async () => {
      for (const piece of pieces) {
        socket.write(Buffer.from(piece, "latin1"));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (ending === "close") socket.end();
      else if (ending === "reset") socket.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
  const address = server.address();
  return { endpoint: `127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
}

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const quick = "proxy: { headTimeoutMs: 500, stallTimeoutMs: 500 }";

describe("a worker that answers badly", () => {
  it.each<[string, readonly string[], "close" | "reset" | "stay", number]>([
    ["no HTTP", ["garbage\r\n\r\n"], "close", 502],
    ["another protocol", ["\x16\x03\x01\x02\x00\x01"], "close", 502],
    ["nothing", [], "close", 502],
    ["half a head", ["HTTP/1.1 200 OK\r\ncontent-ty"], "close", 502],
    ["a head that never ends", ["HTTP/1.1 200 OK\r\ncontent-ty"], "stay", 504],
    ["a head that is too long", [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`], "close", 502],
    ["two lengths", [`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`], "close", 502],
    ["a length that is no number", [`${head}content-length: x\r\n\r\n{}`], "close", 502],
    ["less than it announced", [`${head}content-length: 20\r\n\r\n{}`], "close", 502],
    ["less, and then nothing", [`${head}content-length: 20\r\n\r\n{}`], "stay", 504],
    ["a broken chunk", [`${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`], "close", 502],
    ["a chunk that does not end", [`${head}transfer-encoding: chunked\r\n\r\n5\r\n{}`], "reset", 502],
    [
      "a switch of protocols",
      ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
      "close",
      502,
    ],
    ["a status below 100", ["HTTP/1.1 42 What\r\ncontent-length: 0\r\n\r\n"], "close", 502],
    ["a body up to the end of the connection", [`${head}\r\n{"a":1}`], "close", 200],
    ["an answer with no body", ["HTTP/1.1 204 No Content\r\n\r\n"], "stay", 204],
    ["more than it announced", [`${head}content-length: 2\r\n\r\n{}{}{}`], "stay", 200],
    [
      "an informational head first",
      [`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${head}content-length: 2\r\n\r\n{}`],
      "stay",
      200,
    ],
  ])("%s", async (_name, pieces, ending, status) => {
    const proxy = await RunningProxy.start({ workers: [await startRaw(pieces, ending)], settings: quick });
    open.push(proxy);
    const answer = await call(proxy.url, { body: chatBody() });
    expect(answer.status).toBe(status);
    expect(answer.isWhole).toBe(true);
    expect(proxy.booked.requests).toBe(0);
  });

  it.each([
    ["of another language", Buffer.from("成功").toString("latin1"), Buffer.from("成功").toString("latin1")],
    ["in latin1", "trouv\xe9", Buffer.from("trouv\ufffd").toString("latin1")],
    ["with what acts on terminals", "a\x01\x1b[2Jb\x7f", "a??[2Jb?"],
    ["that is none", "", ""],
  ])("a reason %s is passed on as far as it can be", async (_name, sent, got) => {
    for (const type of ["application/json", "text/event-stream"]) {
      const answer = `HTTP/1.1 200 ${sent}\r\ncontent-type: ${type}\r\ncontent-length: 2\r\n\r\n{}`;
      const proxy = await RunningProxy.start({ workers: [await startRaw([answer], "stay")], settings: quick });
      open.push(proxy);
      const { status, reason, body, isWhole } = await call(proxy.url, { body: chatBody() });
      expect({ status, reason, body: body.toString(), isWhole }).toEqual({
        status: 200,
        reason: got,
        body: "{}",
        isWhole: true,
      });
      expect(proxy.booked.requests).toBe(0);
    }
  });

  it.each<[string, readonly string[], "close" | "reset" | "stay"]>([
    ["a broken chunk", [`${stream}transfer-encoding: chunked\r\n\r\n5\r\na: 1\n\r\nzz\r\n`], "close"],
    ["half a chunk", [`${stream}transfer-encoding: chunked\r\n\r\n50\r\ndata: {\n\n`], "reset"],
    ["less than it announced", [`${stream}content-length: 200\r\n\r\n`, "data: {}\n\n"], "close"],
    ["silence", [`${stream}transfer-encoding: chunked\r\n\r\n`], "stay"],
  ])("%s within a stream is told", async (_name, pieces, ending) => {
    const proxy = await RunningProxy.start({ workers: [await startRaw(pieces, ending)], settings: quick });
    open.push(proxy);
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toMatch(/data: \{"error":\{.*\n\ndata: \[DONE\]\n\n$/);
    expect(answer.isWhole).toBe(true);
    expect(proxy.booked.requests).toBe(0);
  });
});
