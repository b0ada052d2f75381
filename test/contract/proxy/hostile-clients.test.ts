import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { RawExchange } from "../../e2e/support/raw-http.ts";
import { json, sse } from "../../support/proxy/fake-worker.ts";
import { call, chatBody, chatPath } from "../../support/proxy/raw-client.ts";
import { ProxyBench } from "../../support/proxy/set-up.ts";

const bench = new ProxyBench();
afterEach(() => bench.close());

function exchange(address: string): Promise<RawExchange> {
  return RawExchange.open(Number(address.split(":")[1]));
}

function post(path: string, body: string, lines: readonly string[] = []): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: a",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${[...head, ...lines].join("\r\n")}\r\n\r\n${body}`;
}

describe("a client that is", () => {
  it("slow with its head is 408", async () => {
    const { proxy, worker } = await bench.start(1, { settings: "proxy: { headersTimeoutMs: 100 }" });
    const raw = (await exchange(proxy.address)).write(`POST ${chatPath} HTTP/1.1\r\nhost: a\r\n`);
    expect((await raw.response()).status).toBe(408);
    await raw.closed();
    expect(worker.seen).toHaveLength(0);
  });

  it("sending its body byte by byte is refused before that costs much", async () => {
    const { proxy, worker } = await bench.start(1);
    const raw = await exchange(proxy.address);
    raw.head("POST", chatPath, { "transfer-encoding": "chunked" });
    const body = chatBody({ pad: "x".repeat(20_000) });
    raw.write(`${[...body].map((letter) => `1\r\n${letter}\r\n`).join("")}0\r\n\r\n`);
    expect((await raw.response()).status).toBe(400);
    expect(worker.seen).toHaveLength(0);
    expect(await proxy.metric("pointsman_proxy_held_body_bytes")).toBe(0);
  });

  it("sending a short body in small chunks, with trailers, is served", async () => {
    const { proxy, worker } = await bench.start(1);
    const raw = await exchange(proxy.address);
    raw.head("POST", chatPath, { "transfer-encoding": "chunked", trailer: "x-sum" });
    for (const letter of chatBody()) raw.chunk(letter);
    raw.lastChunk({ "x-sum": "1" });
    expect((await raw.response()).status).toBe(200);
    expect(worker.seen[0]?.body.toString()).toBe(chatBody());
    expect(worker.seen[0]?.rawHeaders.join(" ").toLowerCase()).not.toMatch(/x-sum|trailer|chunked/);
  });

  it("sending some requests before their answers gets them in order", async () => {
    const { proxy, worker } = await bench.start(1);
    worker.behave = (response, { target }) => json(response, 200, { target });
    const raw = await exchange(proxy.address);
    raw.write([1, 2, 3].map((at) => post(`${chatPath}?n=${at}`, chatBody())).join(""));
    await raw.receive("n=3");
    expect(raw.received.toString().match(/n=\d/g)).toEqual(["n=1", "n=2", "n=3"]);
  });

  it("sending hundreds of requests in one packet is cut off", async () => {
    const { proxy, worker } = await bench.start(1);
    worker.behave = () => undefined;
    const raw = await exchange(proxy.address);
    raw.write(post(chatPath, chatBody()).repeat(300));
    await raw.closed();
    await expect.poll(() => proxy.booked.requests).toBe(0);
    expect(worker.seen.length).toBeLessThan(32);
    expect(await proxy.metric("pointsman_proxy_requests")).toBe(0);
  });

  it("speaking HTTP/1.0 gets whole answers and streams, which end with the connection", async () => {
    const { proxy, worker } = await bench.start(1);
    worker.behave = (response, { body }) => {
      if (!body.includes("stream")) return json(response, 200, { ok: true });
      sse(response);
      response.end("data: 1\n\ndata: [DONE]\n\n");
    };
    for (const [body, end] of [
      [chatBody(), '{"ok":true}'],
      [chatBody({ stream: true }), "data: 1\n\ndata: [DONE]\n\n"],
    ] as const) {
      const raw = await exchange(proxy.address);
      raw.write(`POST ${chatPath} HTTP/1.0\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      await raw.closed();
      const text = raw.received.toString();
      expect(text).toMatch(/^HTTP\/1\.1 200/);
      expect(text.toLowerCase()).not.toContain("chunked");
      expect(text.endsWith(`\r\n\r\n${end}`)).toBe(true);
    }
  });

  it("waiting for 100 Continue is told to, but not for a body that is too long", async () => {
    const { proxy } = await bench.start(1, { settings: "proxy: { maxBodyBytes: 2048 }" });
    const raw = await exchange(proxy.address);
    raw.head("POST", chatPath, { expect: "100-continue", "content-length": String(chatBody().length) });
    await raw.receive("100 Continue");
    raw.write(chatBody());
    expect((await raw.response()).status).toBe(200);
    const long = await exchange(proxy.address);
    long.head("POST", chatPath, { expect: "100-continue", "content-length": "4096" });
    expect((await long.response()).status).toBe(413);
    expect(long.received.toString()).not.toContain("100 Continue");
  });

  it("naming the whole URL as its target is served", async () => {
    const { proxy, worker } = await bench.start(1);
    const raw = (await exchange(proxy.address)).write(post(`http://some.host${chatPath}?a=1`, chatBody()));
    expect((await raw.response()).status).toBe(200);
    expect(worker.seen[0]?.target).toBe(`${chatPath}?a=1`);
  });

  it.each([
    "/engine/../admin",
    "/engine/%2e%2E/admin",
    "/engine/./x/..%2fadmin",
    "/engine/..",
    "/engine\\..\\admin",
    "/engine/..;/admin",
  ])("going up from a served path is 404: %s", async (path) => {
    const { proxy, worker } = await bench.start(1, { settings: 'proxy: { paths: ["/engine/*"] }' });
    const raw = (await exchange(proxy.address)).write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    expect((await raw.response()).status).toBe(404);
    expect(worker.seen).toHaveLength(0);
  });

  it.each([
    ["two lengths", "content-length: 2\r\ncontent-length: 3\r\n\r\n{}"],
    ["a length and chunks", "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a coding that is none", "transfer-encoding: gzip\r\n\r\n{}"],
    ["a chunk that is no chunk", "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"],
    ["a folded header", "x: a\r\n b\r\ncontent-length: 0\r\n\r\n"],
    ["a bare line feed", "x: a\ncontent-length: 0\r\n\r\n"],
  ])("sending %s is 400", async (_name, rest) => {
    const { proxy, worker } = await bench.start(1);
    const raw = (await exchange(proxy.address)).write(`POST ${chatPath} HTTP/1.1\r\nhost: a\r\n${rest}`);
    expect((await raw.response()).status).toBe(400);
    expect(worker.seen).toHaveLength(0);
  });

  it.each([
    ["codings besides chunks", "HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked", 501],
    ["chunks twice", "HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, chunked", 400],
    ["chunks in HTTP/1.0", "HTTP/1.0\r\ntransfer-encoding: chunked", 400],
    ["no host", "HTTP/1.1\r\ntransfer-encoding: chunked", 400],
    ["two hosts", "HTTP/1.1\r\nhost: a\r\nHost: b\r\ntransfer-encoding: chunked", 400],
    ["a version of another protocol", "HTTP/2.0\r\nhost: a\r\ntransfer-encoding: chunked", 505],
  ])("sending %s is refused, and nothing behind it is read", async (_name, rest, status) => {
    const { proxy, worker } = await bench.start(1);
    const raw = await exchange(proxy.address);
    const chunks = `${chatBody().length.toString(16)}\r\n${chatBody()}\r\n0\r\n\r\n`;
    raw.write(`POST ${chatPath} ${rest}\r\n\r\n${chunks}${post(chatPath, chatBody())}`);
    expect((await raw.response()).status).toBe(status);
    await raw.closed();
    expect(raw.received.toString().match(/HTTP\/1.1 /g)).toHaveLength(1);
    expect(worker.seen).toHaveLength(0);
  });

  it("naming headers of the connection on several lines has none of them forwarded", async () => {
    const { proxy, worker } = await bench.start(1);
    const lines = ["connection: close", "Connection: x-hop", "connection: x-other , x-last", "x-hop: 1", "x-last: 1"];
    const raw = (await exchange(proxy.address)).write(post(chatPath, chatBody(), [...lines, "x-kept: 1"]));
    expect((await raw.response()).status).toBe(200);
    const names = worker.seen[0]?.rawHeaders.filter((_, at) => at % 2 === 0);
    expect(names).toContain("x-kept");
    expect(names?.filter((name) => name === "x-hop" || name === "x-last")).toEqual([]);
  });

  it.each([chatPath, "/v1/messages", "/v1/responses", "/v1/completions"])(
    "sending no UTF-8 to %s is 400",
    async (path) => {
      const { proxy, worker } = await bench.start(1);
      const body = Buffer.from(
        '{"model":"m","prompt":"\xff\xfe","input":"\xff","max_tokens":1,"messages":[{"role":"user","content":"\xff\xc0\xaf"}]}',
        "latin1",
      );
      expect((await call(proxy.url, { path, body })).status).toBe(400);
      expect(worker.seen).toHaveLength(0);
    },
  );

  it("closing its side has left", async () => {
    const { proxy, worker } = await bench.start(1);
    let began = (): void => undefined;
    const came = new Promise<void>((resolve) => {
      began = resolve;
    });
    worker.behave = () => began();
    const socket = connect(Number(proxy.address.split(":")[1]), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(post(chatPath, chatBody()));
    await came;
    socket.end();
    expect(await worker.seen[0]?.ended).toBe("left");
    await expect.poll(() => proxy.booked.requests).toBe(0);
    socket.destroy();
  });

  it("one of a thousand that leave at once leaves nothing behind", async () => {
    const { proxy, worker } = await bench.start(1);
    worker.behave = (response, { body }) => {
      if (body.includes("stream")) sse(response);
    };
    const port = Number(proxy.address.split(":")[1]);
    const texts = [
      post(chatPath, chatBody()),
      post(chatPath, chatBody({ stream: true })),
      post(chatPath, chatBody()).slice(0, -4),
    ];
    const sockets: Socket[] = [];
    for (let at = 0; at < 1_000; at++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(texts[at % 3] as string);
      sockets.push(socket);
    }
    await expect.poll(() => worker.seen.length, { timeout: 10_000 }).toBe(667);
    for (const [at, socket] of sockets.entries()) {
      if (at % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    await expect.poll(() => worker.connections, { timeout: 10_000 }).toBe(0);
    expect(proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
    expect(await proxy.metric("pointsman_proxy_requests")).toBe(0);
    expect(await proxy.metric("pointsman_proxy_held_body_bytes")).toBe(0);
    worker.behave = (response) => json(response, 200, {});
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
  });
});

describe("an answer that is", () => {
  it("compressed passes as it is, whole, as a stream and as an error", async () => {
    const { proxy, worker } = await bench.start(1);
    const text = gzipSync('data: {"choices":[]}\n\ndata: [DONE]\n\n');
    for (const [status, type] of [
      [200, "application/json"],
      [200, "text/event-stream"],
      [500, "application/json"],
    ] as const) {
      worker.behave = (response) => {
        response.writeHead(status, { "content-type": type, "content-encoding": "gzip" });
        response.end(text);
      };
      const answer = await call(proxy.url, { body: chatBody(), headers: ["accept-encoding", "gzip"] });
      expect([answer.status, answer.headers["content-encoding"]]).toEqual([status, "gzip"]);
      expect(answer.body.equals(text)).toBe(true);
    }
  });

  it("a stream without an empty line at its end passes as it is", async () => {
    const { proxy, worker } = await bench.start(1);
    const text = 'data: {"choices":[]}\n\ndata: [DONE]';
    worker.behave = (response) => {
      sse(response);
      response.end(text);
    };
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect([answer.body.toString(), answer.isWhole]).toEqual([text, true]);
  });

  it("chunked with trailers passes without them", async () => {
    const { proxy, worker } = await bench.start(1);
    worker.behave = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream", trailer: "x-sum" });
      response.write("data: 1\n\n");
      response.addTrailers({ "x-sum": "1" });
      response.end();
    };
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect([answer.body.toString(), answer.isWhole]).toEqual(["data: 1\n\n", true]);
  });
});
