import { createHash } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { json } from "../../support/proxy/fake-worker.ts";
import { call, chatBody, chatPath, open } from "../../support/proxy/raw-client.ts";
import { ProxyBench } from "../../support/proxy/set-up.ts";

const bench = new ProxyBench();
afterEach(() => bench.close());

function errorOf(body: Buffer) {
  return JSON.parse(body.toString()).error;
}

describe("a request that is refused", () => {
  it.each([
    ["POST", "/v1/nothing", 404, "not_found"],
    ["POST", "/v1/chat/completions/", 404, "not_found"],
    ["GET", "/", 404, "not_found"],
    ["GET", "/v1/chat/completions", 405, "method_not_allowed"],
    ["PATCH", "/v1/responses/resp_1", 405, "method_not_allowed"],
    ["GET", "/v1/responses/resp_1", 404, "unknown_response"],
    ["DELETE", "/v1/responses/resp_1", 404, "unknown_response"],
    ["GET", "/v1/models/other", 404, "unknown_model"],
  ])("%s %s is %i %s", async (method, path, status, code) => {
    const { proxy } = await bench.start(1);
    const answer = await call(proxy.url, { method, path, ...(method === "POST" ? { body: "{}" } : {}) });
    expect([answer.status, errorOf(answer.body).code]).toEqual([status, code]);
  });

  it("that comes before the models are loaded is told so, and not that the proxy stops", async () => {
    const { proxy, worker } = await bench.start(1);
    proxy.setReady(false);
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, errorOf(answer.body).code, answer.headers["retry-after"]]).toEqual([503, "not_ready", "1"]);
    expect(await proxy.metric('pointsman_proxy_refusals_total{code="not_ready"}')).toBe(1);
    expect(worker.seen).toEqual([]);
  });

  it.each(["/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"])(
    "malformed JSON on %s is 400 in the API's form",
    async (path) => {
      const { proxy, worker } = await bench.start(1);
      const answer = await call(proxy.url, { path, body: '{"model":"m",' });
      const body = JSON.parse(answer.body.toString());
      expect(answer.status).toBe(400);
      expect(answer.headers["content-type"]).toBe("application/json");
      const isAnthropic = path === "/v1/messages";
      expect(body.error.type).toBe("invalid_request_error");
      expect(body.type).toBe(isAnthropic ? "error" : undefined);
      expect(worker.seen).toHaveLength(0);
    },
  );

  it.each([
    ["/v1/chat/completions", { messages: [{ role: "user", content: "a" }] }],
    ["/v1/messages", { max_tokens: 1, messages: [{ role: "user", content: "a" }] }],
    ["/v1/embeddings", { input: "a" }],
    ["/v1/rerank", { query: "a", documents: ["b"] }],
    ["/tokenize", { prompt: "a" }],
  ])("a model that is not served is 404 on %s", async (path, body) => {
    const { proxy, worker } = await bench.start(1);
    const answer = await call(proxy.url, { path, body: { model: "other", ...body } });
    expect(answer.status).toBe(404);
    expect(errorOf(answer.body).message).toBe('the model "other" is not served here; served here: "m"');
    expect(worker.seen).toHaveLength(0);
  });

  it("a body that is too long is 413, announced or not", async () => {
    const { proxy } = await bench.start(1, { settings: "proxy: { maxBodyBytes: 2048 }" });
    const body = chatBody({ pad: "x".repeat(4_000) });
    expect((await call(proxy.url, { body })).status).toBe(413);
    const chunked = `POST ${chatPath} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`;
    expect(await rawTurn(proxy.address, chunked, "body_too_large")).toContain("HTTP/1.1 413");
  });

  it("a client that looks for its answer only when it has sent everything finds it", async () => {
    const { proxy } = await bench.start(1, { settings: "proxy: { maxBodyBytes: 2048 }" });
    const body = chatBody({ pad: "x".repeat(20_000_000) });
    const statuses = await Promise.all([1, 2, 3].map(async () => (await call(proxy.url, { body })).status));
    expect(statuses).toEqual([413, 413, 413]);
  });

  it("a body that stops coming is 408, in the API's form", async () => {
    const { proxy } = await bench.start(1, { settings: "proxy: { requestTimeoutMs: 200, headersTimeoutMs: 1000 }" });
    const slow = 'POST /v1/messages HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"model"';
    const answer = await rawTurn(proxy.address, slow);
    expect(answer).toContain("HTTP/1.1 408");
    expect(answer).toContain('{"type":"error","error":{"type":"timeout_error"');
  });

  it("headers may be long, and are 431 when they are too long", async () => {
    const { proxy, worker } = await bench.start(1);
    const turn = { "x-codex-turn-metadata": "m".repeat(40_000) };
    const headers = Object.entries(turn).flat();
    expect((await call(proxy.url, { body: chatBody(), headers })).status).toBe(200);
    expect(worker.seen[0]?.rawHeaders).toContain(turn["x-codex-turn-metadata"]);
    const long = `POST ${chatPath} HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(100_000)}\r\n\r\n`;
    expect(await rawTurn(proxy.address, long)).toContain("HTTP/1.1 431");
  });

  it("what is no HTTP is 400", async () => {
    const { proxy } = await bench.start(1);
    expect(await rawTurn(proxy.address, "NONSENSE\r\n\r\n")).toContain("HTTP/1.1 400");
  });

  it("a compressed body is 415", async () => {
    const { proxy } = await bench.start(1);
    const answer = await call(proxy.url, { body: chatBody(), headers: ["Content-Encoding", "gzip"] });
    expect(answer.status).toBe(415);
  });

  it("body fields that choose a worker are 400, headers that do are dropped", async () => {
    const { proxy, worker } = await bench.start(1);
    const pinned = await call(proxy.url, { body: chatBody({ nvext: { backend_instance_id: 1 } }) });
    expect(pinned.status).toBe(400);
    const headers = [
      "X-Gateway-Destination-Endpoint",
      "1.2.3.4:5",
      "x-data-parallel-rank",
      "7",
      "X_Prefiller_Host_Port",
      "a:1",
    ];
    expect((await call(proxy.url, { body: chatBody(), headers })).status).toBe(200);
    const names = worker.seen[0]?.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()) ?? [];
    expect(names.filter((name) => /gateway|rank|prefiller/.test(name))).toEqual([]);
  });

  it("one request more than may be under way is 429", async () => {
    const { proxy, worker } = await bench.start(1, {
      settings: "proxy: { maxRequests: 1 }\nadmission: { maxQueued: 0 }",
    });
    const came = new Promise<() => void>((resolve) => {
      worker.behave = (response) => resolve(() => json(response, 200, {}));
    });
    const first = call(proxy.url, { body: chatBody() });
    const answer = await came;
    const second = await call(proxy.url, { body: chatBody() });
    expect([second.status, second.headers["retry-after"]]).toEqual([429, "1"]);
    answer();
    expect((await first).status).toBe(200);
    worker.behave = (response) => json(response, 200, {});
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
  });
});

describe("keys", () => {
  const sha = (key: string) => createHash("sha256").update(key).digest("hex");
  const settings = `proxy: { apiKeyHashes: "${sha("third")}", apiKeys: [
    { name: a, sha256: ${sha("one")}, requestsPerMinute: 2 },
    { name: b, sha256: ${sha("two")}, maxConcurrent: 1 } ] }`;

  it.each([
    [[], 401],
    [["authorization", "Bearer wrong"], 401],
    [["authorization", "Bearer one"], 200],
    [["x-api-key", "two"], 200],
    [["Authorization", "bearer third"], 200],
  ])("%j is answered %i", async (headers, status) => {
    const { proxy, worker } = await bench.start(1, { settings });
    const answer = await call(proxy.url, { body: chatBody(), headers: headers as string[] });
    expect(answer.status).toBe(status);
    expect(
      worker.seen
        .flatMap(({ rawHeaders }) => rawHeaders)
        .join()
        .toLowerCase(),
    ).not.toMatch(/bearer|x-api-key/);
  });

  it("have a rate", async () => {
    const { proxy } = await bench.start(1, { settings });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await call(proxy.url, { body: chatBody(), headers: ["authorization", "Bearer one"] })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    const last = await call(proxy.url, { body: chatBody(), headers: ["authorization", "Bearer one"] });
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(20);
    expect(errorOf(last.body).code).toBe("rate_limited");
  });

  it("have a bound of requests under way", async () => {
    const { proxy, worker } = await bench.start(1, { settings });
    const came = new Promise<() => void>((resolve) => {
      worker.behave = (response) => resolve(() => json(response, 200, {}));
    });
    const headers = ["x-api-key", "two"];
    const first = call(proxy.url, { body: chatBody(), headers });
    const answer = await came;
    expect((await call(proxy.url, { body: chatBody(), headers })).status).toBe(429);
    answer();
    await first;
    worker.behave = (response) => json(response, 200, {});
    expect((await call(proxy.url, { body: chatBody(), headers })).status).toBe(200);
  });

  it("of a file are read again when it changes, each with the account that it had", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pointsman-keys-"));
    try {
      const apiKeyFile = join(folder, "keys.yaml");
      const lines: string[] = [];
      await writeFile(apiKeyFile, `[{ name: a, sha256: ${sha("one")}, requestsPerMinute: 1 }]`);
      const { proxy } = await bench.start(1, {
        settings: `proxy: { apiKeyFile: "${apiKeyFile}", apiKeyReloadIntervalMs: 20 }`,
        logLine: (line) => lines.push(line),
      });
      const statusOf = async (key: string) =>
        (await call(proxy.url, { body: chatBody(), headers: ["x-api-key", key] })).status;
      expect([await statusOf("one"), await statusOf("one"), await statusOf("two")]).toEqual([200, 429, 401]);

      await replaceFile(apiKeyFile, "[{ name: ");
      await expect.poll(() => lines.join()).toContain("keeping the old ones");
      expect(await statusOf("one")).toBe(429);

      await replaceFile(
        apiKeyFile,
        `[{ name: a, sha256: ${sha("one")}, requestsPerMinute: 2 }, { name: b, sha256: ${sha("two")} }]`,
      );
      await expect.poll(() => statusOf("two")).toBe(200);
      expect([await statusOf("one"), await statusOf("one")]).toEqual([200, 429]);

      await replaceFile(apiKeyFile, "");
      await expect.poll(() => statusOf("two")).toBe(401);
      expect((await call(proxy.url, { body: chatBody() })).status).toBe(401);
      expect(lines.join()).not.toContain(sha("one"));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("are needed while the key file names nobody", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pointsman-keys-"));
    try {
      const apiKeyFile = join(folder, "keys.yaml");
      await writeFile(apiKeyFile, "# none yet\n");
      const { proxy } = await bench.start(1, { settings: `proxy: { apiKeyFile: "${apiKeyFile}" }` });
      expect((await call(proxy.url, { body: chatBody() })).status).toBe(401);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("are not needed for health", async () => {
    const { proxy } = await bench.start(1, { settings });
    expect((await call(proxy.url, { method: "GET", path: "/health" })).status).toBe(200);
  });
});

describe("pages of other origins", () => {
  const settings = "proxy: { cors: { origins: ['https://app.example'] } }";

  it("may call when they are listed", async () => {
    const { proxy, worker } = await bench.start(1, { settings });
    worker.behave = (response) => {
      response.setHeader("access-control-allow-origin", "*");
      json(response, 200, {});
    };
    const origin = ["Origin", "https://app.example"];
    const preflight = await call(proxy.url, {
      method: "OPTIONS",
      headers: [...origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-a"],
    });
    expect([preflight.status, preflight.headers["access-control-allow-headers"]]).toEqual([204, "x-a"]);
    const answer = await call(proxy.url, { body: chatBody(), headers: origin });
    expect(answer.headers["access-control-allow-origin"]).toBe("https://app.example");
  });

  it("may not call otherwise", async () => {
    const { proxy } = await bench.start(1, { settings });
    const answer = await call(proxy.url, { body: chatBody(), headers: ["Origin", "https://evil.example"] });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("the end", () => {
  it("lets streams end, refuses new connections and tells health", async () => {
    const { proxy, worker } = await bench.start(1);
    let finish: () => void = () => undefined;
    worker.behave = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
      finish = () => response.end("data: [DONE]\n\n");
    };
    const answer = await open(proxy.url, { body: chatBody({ stream: true }) });
    const drained = proxy.drain(10_000);
    await expect(call(proxy.url, { body: chatBody() })).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    finish();
    const text = (await answer.toArray()).join("");
    expect(text).toBe("data: 1\n\ndata: [DONE]\n\n");
    await drained;
  });

  it("tells those that do not end, and cuts them", async () => {
    const { proxy, worker } = await bench.start(1);
    worker.behave = (response, { target }) => {
      if (target !== chatPath) return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    };
    const stream = await open(proxy.url, { body: chatBody({ stream: true }) });
    const waiting = call(proxy.url, { path: "/v1/completions", body: { model: "m", prompt: "a" } });
    await expect.poll(() => worker.seen.length).toBe(2);
    await proxy.drain(50);
    expect((await stream.toArray()).join("")).toContain('"code":"shutting_down"');
    expect([(await waiting).status, errorOf((await waiting).body).code]).toEqual([503, "shutting_down"]);
    expect(await Promise.all(worker.seen.map(({ ended }) => ended))).toEqual(["left", "left"]);
    expect(proxy.booked.requests).toBe(0);
  });

  it("ends connections that read nothing", async () => {
    const { proxy, worker } = await bench.start(1);
    worker.behave = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let i = 0; i < 500; i++) response.write(`data: ${"x".repeat(20_000)}\n\n`);
    };
    const stream = await open(proxy.url, { body: chatBody({ stream: true }) });
    stream.pause();
    await proxy.drain(50);
    expect(proxy.booked.requests).toBe(0);
    stream.destroy();
  });
});

/** Writes a file anew in one step, as mounted secrets change: half of one is never read. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/** Sends bytes and reads until the other side closes, or these words have come. */
function rawTurn(address: string, bytes: string, last?: string): Promise<string> {
  const [host = "", port = ""] = address.split(":");
  return new Promise((resolve) => {
    const socket = connect(Number(port), host);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (last !== undefined && text.includes(last)) socket.destroy();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", () => undefined);
    socket.write(bytes);
  });
}
