import { afterEach, describe, expect, it } from "vitest";
import { type FakeWorker, json, reset, sse } from "../../../support/proxy/fake-worker.ts";
import { PairBench, type PairFleet } from "../../../support/proxy/pair-bench.ts";
import { call, chatBody, open } from "../../../support/proxy/raw-client.ts";

const bench = new PairBench();
afterEach(() => bench.close());

const nothing = { requests: 0, decodeBlocks: 0, prefillTokens: 0 };
const delta = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const role = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';

function hits(workers: readonly FakeWorker[]): readonly number[] {
  return workers.map(({ seen }) => seen.length);
}

/** A worker that takes requests and says nothing. */
const silent = () => undefined;

/** How the requests of a worker ended. */
function endsOf(workers: readonly FakeWorker[]): Promise<readonly string[]> {
  return Promise.all(workers.flatMap(({ seen }) => seen.map(({ ended }) => ended)));
}

/** Resolves once each of the workers has got a request. */
function reached(workers: readonly FakeWorker[]): Promise<unknown> {
  return Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve) => {
          const { behave } = worker;
          worker.answer((response, request) => {
            resolve();
            return behave(response, request);
          });
        }),
    ),
  );
}

async function sglang(prefill: number, decode: number, settings = ""): Promise<PairFleet> {
  const fleet = await bench.start({ protocol: "sglang", prefill, decode, settings });
  for (const worker of [...fleet.prefill, ...fleet.decode])
    worker.answer((response) => json(response, 200, { ok: true }));
  return fleet;
}

describe("a refusal of one of two SGLang workers", () => {
  it.each([400, 401, 404, 408, 413, 422, 429])(
    "by the prefill worker with %i keeps status and words, and ends the other",
    async (status) => {
      const { prefill, decode, proxy } = await sglang(2, 2);
      for (const worker of decode) worker.answer(silent);
      for (const worker of prefill) worker.answer((response) => json(response, status, { detail: "its own words" }));
      const answer = await call(proxy.url, { body: chatBody() });
      expect([answer.status, answer.body.toString()]).toEqual([status, '{"detail":"its own words"}']);
      expect(await endsOf(decode)).toEqual(["left"]);
      expect(hits([...prefill, ...decode]).reduce((a, b) => a + b)).toBe(2);
      expect(proxy.booked).toEqual(nothing);
    },
  );

  it.each([400, 429])("by the decode worker with %i keeps status and words, and ends the other", async (status) => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    prefill[0]?.answer(silent);
    decode[0]?.answer((response) => json(response, status, { detail: "its own words" }));
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect([answer.status, answer.body.toString()]).toEqual([status, '{"detail":"its own words"}']);
    expect(await endsOf(prefill)).toEqual(["left"]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("holds back the head of a decode worker that was faster", async () => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    const streaming = new Promise<void>((resolve) => {
      decode[0]?.answer((response) => {
        sse(response);
        response.write(delta);
        resolve();
      });
    });
    prefill[0]?.answer(async (response) => {
      await streaming;
      json(response, 422, { detail: "too long" });
    });
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect([answer.status, answer.body.toString()]).toEqual([422, '{"detail":"too long"}']);
    expect(await endsOf(decode)).toEqual(["left"]);
  });

  it("passes a whole answer that was there before the prefill worker's head, once that is good", async () => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    const answered = reached(decode).then(() => decode[0]?.seen[0]?.ended);
    prefill[0]?.answer(async (response) => {
      await answered;
      json(response, 200, {});
    });
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"ok":true}']);
  });
});

describe("a failure of one of two SGLang workers before the client has got a byte", () => {
  it.each([
    ["prefill", 500],
    ["prefill", 503],
    ["decode", 500],
    ["decode", 502],
  ] as const)("of the %s worker with %i is answered by another pair", async (leg, status) => {
    const { proxy, ...fleet } = await sglang(2, 2);
    let failures = 0;
    for (const worker of fleet[leg]) {
      worker.answer((response) => (failures++ === 0 ? json(response, status, {}) : json(response, 200, { ok: true })));
    }
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"ok":true}']);
    expect([hits(fleet.prefill), hits(fleet.decode)]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(proxy.booked).toEqual(nothing);
  });

  it.each(["prefill", "decode"] as const)("by a reset of the %s worker is answered by another pair", async (leg) => {
    const { proxy, ...fleet } = await sglang(2, 2);
    let failures = 0;
    for (const worker of fleet[leg]) {
      worker.answer((response) => (failures++ === 0 ? reset(response) : json(response, 200, { ok: true })));
    }
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect([...hits(fleet.prefill), ...hits(fleet.decode)]).toEqual([1, 1, 1, 1]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("of every prefill worker is passed on after one try of each", async () => {
    const { prefill, decode, proxy } = await sglang(3, 3, "proxy: { retries: { maxAttempts: 10 } }");
    for (const worker of prefill) worker.answer((response) => json(response, 500, { error: { message: "broken" } }));
    for (const worker of decode) worker.answer(silent);
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, answer.body.toString()]).toEqual([500, '{"error":{"message":"broken"}}']);
    expect([hits(prefill), hits(decode)]).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
    expect(await endsOf(decode)).toEqual(["left", "left", "left"]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("of a decode worker does not keep the only prefill worker from another", async () => {
    const { prefill, decode, proxy } = await sglang(1, 2);
    let failures = 0;
    for (const worker of decode) {
      worker.answer((response) => (failures++ === 0 ? json(response, 500, {}) : json(response, 200, { ok: true })));
    }
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect([hits(prefill), hits(decode)]).toEqual([[2], [1, 1]]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("by a prefill worker that is not there is answered by another pair", async () => {
    const { prefill, decode, proxy } = await sglang(2, 2);
    await prefill[0]?.close();
    for (let i = 0; i < 4; i++) expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect(prefill[1]?.seen).toHaveLength(4);
    expect(hits(decode).reduce((a, b) => a + b)).toBeGreaterThanOrEqual(4);
    expect(await proxy.metric('pointsman_proxy_attempts_total{outcome="unreachable"}')).toBe(1);
    expect(proxy.booked).toEqual(nothing);
  });

  it("by a prefill worker that breaks off after its head is answered by another pair", async () => {
    const { prefill, decode, proxy } = await sglang(2, 2);
    let failures = 0;
    for (const worker of prefill) {
      worker.answer((response) => {
        if (failures++ > 0) return json(response, 200, {});
        response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
        response.write("{");
        setImmediate(() => reset(response));
      });
    }
    for (const worker of decode) {
      worker.answer((response) => (failures <= 1 ? undefined : json(response, 200, { ok: true })));
    }
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"ok":true}']);
    expect(proxy.booked).toEqual(nothing);
  });
});

describe("within the stream of two SGLang workers", () => {
  it("a decode worker that breaks off ends with an error event, and with its partner", async () => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    prefill[0]?.answer(sse);
    decode[0]?.answer((response) => {
      sse(response);
      response.write(delta);
      setImmediate(() => reset(response));
    });
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect(answer.body.toString()).toMatch(
      /^data: .*\n\ndata: \{"error":\{.*"worker_failed".*\}\n\ndata: \[DONE\]\n\n$/,
    );
    expect(await endsOf(prefill)).toEqual(["left"]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("a prefill worker that breaks off before the first content ends it with an error event", async () => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    decode[0]?.answer((response) => {
      sse(response);
      response.write(role);
    });
    prefill[0]?.answer(sse);
    const response = await open(proxy.url, { body: chatBody({ stream: true }) });
    let text = await new Promise<string>((resolve) => response.once("data", (chunk) => resolve(String(chunk))));
    expect(text).toBe(role);
    prefill[0]?.resetAll();
    for await (const chunk of response) text += String(chunk);
    expect(text).toContain('"worker_failed"');
    expect(response.complete).toBe(true);
    expect(await endsOf(decode)).toEqual(["left"]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("a prefill worker that breaks off after the first content does no harm", async () => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    let finish: () => void = silent;
    decode[0]?.answer((response) => {
      sse(response);
      response.write(delta);
      finish = () => void response.end("data: [DONE]\n\n");
    });
    prefill[0]?.answer(sse);
    const response = await open(proxy.url, { body: chatBody({ stream: true }) });
    const first = await new Promise<string>((resolve) => response.once("data", (chunk) => resolve(String(chunk))));
    expect(first).toBe(delta);
    prefill[0]?.resetAll();
    finish();
    let rest = "";
    for await (const chunk of response) rest += String(chunk);
    expect(rest).toBe("data: [DONE]\n\n");
    expect(proxy.booked).toEqual(nothing);
  });
});

/** A client that sends a request, and leaves without an answer once the workers were `asked`. */
async function leaveOnce(asked: Promise<unknown>, { url }: { readonly url: string }): Promise<void> {
  const controller = new AbortController();
  const answer = fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: chatBody(),
    headers: { "content-type": "application/json" },
    signal: controller.signal,
  }).catch(() => "left");
  await asked;
  controller.abort();
  expect(await answer).toBe("left");
}

describe("a client that leaves two SGLang workers", () => {
  it("before the heads ends both", async () => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    for (const worker of [...prefill, ...decode]) worker.answer(silent);
    const asked = reached([...prefill, ...decode]);
    await leaveOnce(asked, proxy);
    expect(await endsOf([...prefill, ...decode])).toEqual(["left", "left"]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("after the first content ends the decode worker's, and lets the prefill worker's drain", async () => {
    const { prefill, decode, proxy } = await sglang(1, 1);
    let finish: () => void = silent;
    decode[0]?.answer((response) => {
      sse(response);
      response.write(delta);
    });
    prefill[0]?.answer((response) => {
      sse(response);
      finish = () => void response.end("data: [DONE]\n\n");
    });
    const response = await open(proxy.url, { body: chatBody({ stream: true }) });
    await new Promise((resolve) => response.once("data", resolve));
    response.destroy();
    expect(await endsOf(decode)).toEqual(["left"]);
    expect(proxy.booked).toEqual(nothing);
    finish();
    expect(await endsOf(prefill)).toEqual(["answered"]);
  });
});

describe("a failure of one of two vLLM workers", () => {
  const returned = '{"kv_transfer_params":{"remote_engine_id":"e"}}';
  async function nixl(prefill: number, decode: number): Promise<PairFleet> {
    const fleet = await bench.start({ protocol: "nixl", prefill, decode });
    for (const worker of fleet.prefill) {
      worker.answer((response) => void response.writeHead(200, { "content-type": "application/json" }).end(returned));
    }
    for (const worker of fleet.decode) worker.answer((response) => json(response, 200, { ok: true }));
    return fleet;
  }

  it.each([400, 429])("the prefill worker's %i is passed on, and nobody else is asked", async (status) => {
    const { prefill, decode, proxy } = await nixl(2, 2);
    for (const worker of prefill) worker.answer((response) => json(response, status, { detail: "its own words" }));
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect([answer.status, answer.body.toString()]).toEqual([status, '{"detail":"its own words"}']);
    expect(hits(prefill).reduce((a, b) => a + b)).toBe(1);
    expect(hits(decode)).toEqual([0, 0]);
    expect(proxy.booked).toEqual(nothing);
  });

  it.each(["prefill", "decode"] as const)("the %s worker's 500 is answered by another pair", async (leg) => {
    const { proxy, ...fleet } = await nixl(2, 2);
    let failures = 0;
    for (const worker of fleet[leg]) {
      const { behave } = worker;
      worker.answer((response, request) => (failures++ === 0 ? json(response, 500, {}) : behave(response, request)));
    }
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect(hits(fleet[leg])).toEqual([1, 1]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("a prefill answer that is cut is answered by another pair", async () => {
    const { prefill, decode, proxy } = await nixl(2, 1);
    let failures = 0;
    for (const worker of prefill) {
      const { behave } = worker;
      worker.answer((response, request) => {
        if (failures++ > 0) return behave(response, request);
        response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
        response.write("{");
        setImmediate(() => reset(response));
      });
    }
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect([hits(prefill), hits(decode)]).toEqual([[1, 1], [1]]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("a client that leaves during the prefill ends it, and the decode worker is not asked", async () => {
    const { prefill, decode, proxy } = await nixl(1, 1);
    prefill[0]?.answer(silent);
    const asked = reached(prefill);
    await leaveOnce(asked, proxy);
    expect(await endsOf(prefill)).toEqual(["left"]);
    expect(hits(decode)).toEqual([0]);
    expect(proxy.booked).toEqual(nothing);
  });
});
