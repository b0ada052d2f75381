import { afterEach, expect, it } from "vitest";
import { FakeWorker, json, reset, resetLater, sse } from "../../support/proxy/fake-worker.ts";
import { call, chatBody } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** @returns the log's lines, which grow */
async function setUp(count: number, behave: FakeWorker["behave"], refused?: string) {
  const workers = await Promise.all(Array.from({ length: count }, () => FakeWorker.start()));
  for (const worker of workers) worker.behave = behave;
  const lines: Record<string, unknown>[] = [];
  const proxy = await RunningProxy.start({
    workers,
    logLine: (line) => {
      if (refused !== undefined && line.includes(refused)) throw new Error("the log is broken");
      lines.push(JSON.parse(line));
    },
  });
  open.push(...workers, proxy);
  return { proxy, url: proxy.url, lines, endpoints: workers.map(({ endpoint }) => endpoint) };
}

const secretBody = chatBody({ messages: [{ role: "user", content: "very secret" }] });
const headers = ["authorization", "Bearer sk-secret"];

it("a retry is told of under the id that the client gets, as is its pick", async () => {
  let failures = 0;
  const { url, lines, endpoints } = await setUp(2, (response) =>
    failures++ === 0 ? reset(response) : json(response, 200, { ok: true }),
  );
  const answer = await call(url, { body: secretBody, headers });
  const requestId = answer.headers["x-request-id"];
  expect([answer.status, requestId]).toEqual([200, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  const place = { requestId, endpoint: expect.toSatisfy((endpoint) => endpoints.includes(endpoint)) };
  expect(lines).toMatchObject([
    { level: "debug", msg: "picked", ...place },
    { level: "debug", msg: "proxy: a worker failed", reason: "reset", attempt: 1, ...place },
    { level: "debug", msg: "picked", ...place },
    { level: "debug", msg: "proxy: another worker is asked", attempt: 2, ...place },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

it("an error that the client gets is told of at level info, with its own request id", async () => {
  const { url, lines, endpoints } = await setUp(1, reset);
  const { body } = await call(url, { body: secretBody, headers: [...headers, "x-request-id", "mine"] });
  expect(lines.filter(({ level }) => level === "info")).toMatchObject([
    { msg: "proxy: refused", requestId: "mine", status: 502, code: "worker_failed", endpoint: endpoints[0] },
  ]);
  expect(body.toString()).not.toContain(endpoints[0]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

it("an error of the last worker that is passed on is told of", async () => {
  const { url, lines, endpoints } = await setUp(1, (response) => json(response, 503, { detail: "secret" }));
  await call(url, { body: secretBody, headers: ["x-request-id", "mine"] });
  expect(lines.filter(({ level }) => level === "info")).toMatchObject([
    { msg: "proxy: a worker's error was passed on", requestId: "mine", status: 503, endpoint: endpoints[0] },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

it("no worker at all is told of, and a request that is not read is at level debug", async () => {
  const { url, lines } = await setUp(0, reset);
  await call(url, { body: secretBody, headers: ["x-request-id", "a"] });
  await call(url, { path: "/nothing", body: "{}", headers: ["x-request-id", "b"] });
  expect(lines.filter((line) => "endpoint" in line)).toEqual([]);
  expect(lines).toMatchObject([
    { level: "info", msg: "proxy: refused", requestId: "a", status: 503, code: "no_endpoints" },
    { level: "debug", msg: "proxy: refused", requestId: "b", status: 404, code: "not_found" },
  ]);
});

it("a stream that breaks off is told of at level info", async () => {
  const { url, lines, endpoints } = await setUp(1, (response) => {
    sse(response);
    response.write('data: {"choices":[{"index":0,"delta":{"content":"secret"}}]}\n\n');
    resetLater(response, 20);
  });
  await call(url, { body: chatBody({ stream: true }), headers: ["x-request-id", "mine"] });
  expect(lines.filter(({ level }) => level === "info")).toMatchObject([
    { msg: "proxy: an answer broke off", requestId: "mine", reason: "reset", endpoint: endpoints[0] },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

it("a fault of the proxy's own behind a worker's failure is told of, cuts the client and ends nothing else", async () => {
  let failures = 0;
  const behave: FakeWorker["behave"] = (response) =>
    failures++ === 0 ? reset(response) : json(response, 200, { ok: true });
  const { proxy, url, lines } = await setUp(2, behave, "proxy: a worker failed");
  await expect(call(url, { body: chatBody() })).rejects.toThrow("socket hang up");
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: "error",
      msg: "proxy: a fault of its own behind a worker that failed",
      err: expect.objectContaining({ message: "the log is broken" }),
    }),
  );
  expect((await call(url, { body: chatBody() })).status).toBe(200);
  expect(proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
});
