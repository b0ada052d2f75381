import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testModelFolder } from "../../e2e/support/model-folder.ts";
import { type Answer, dynamoRouting, RunningApi } from "./running-api.ts";

interface Recorded {
  readonly name: string;
  readonly model: string;
  readonly status: number;
  readonly token_ids?: readonly number[];
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

function lines<T>(file: string): readonly T[] {
  const text = readFileSync(new URL(`../../fixtures/parity/${file}`, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** @param model how the model of all tests is served */
const settingsOf = (model: string) => `
mode: reserve
models: [{ name: qwen3, blockSize: 4, ${model} }]
tokenizer: { threads: { count: 1 } }
workers:
  - { name: one, id: "1", endpoint: "10.0.0.1:8000" }
  - { name: two, id: "2", endpoint: "10.0.0.2:8000" }
fleet: { healthCheck: { enabled: false } }
approximateIndex: { ttlMs: 60000 }
reservations: { leaseMs: 60000 }
${dynamoRouting}
`;

const withText = () => settingsOf(`folder: ${testModelFolder()}, profile: dynamo`);
const settings = settingsOf("loadOnly: true");

const chat = { model: "qwen3", messages: [{ role: "user", content: "Why is the sky blue, and not green or red?" }] };

describe("the client's own request", () => {
  let api: RunningApi;

  beforeAll(async () => {
    api = await RunningApi.start(withText());
  }, 60_000);

  afterAll(() => api.close());

  const route = (body: unknown, path = "/route") => api.call("POST", path, body);

  it("is rendered and tokenized as the recorded Dynamo frontend does", async () => {
    const cases = new Map(lines<Case>("cases.jsonl").map((each) => [each.name, each]));
    const expected = lines<Recorded>("expected.jsonl").filter(
      ({ model, token_ids }) => model === "qwen3" && Array.isArray(token_ids) && typeof token_ids[0] === "number",
    );
    const sample = expected.filter((_, i) => i % 9 === 0);
    expect(sample.length).toBeGreaterThan(20);
    for (const { name, token_ids } of sample) {
      const given = cases.get(name);
      if (given === undefined || given.body === undefined) continue;
      const body = { ...given.body, model: "qwen3" };
      const answer = await route({ request: { path: given.path, body }, return_token_ids: true });
      expect({ name, status: answer.status, error: answer.body.error }).toEqual({
        name,
        status: 200,
        error: undefined,
      });
      expect({ name, ids: answer.body.token_ids }).toEqual({ name, ids: token_ids });
    }
  });

  it("may be given as an object or as its exact text, and its path names the API", async () => {
    const whole = await route({ request: { path: "/v1/chat/completions?x=1", body: chat }, return_token_ids: true });
    const text = await route({ request: { body: JSON.stringify(chat, null, 2) }, return_token_ids: true });
    expect(whole.body).toMatchObject({ api: "chat", model_name: "qwen3", routing_group: "default" });
    expect(text.body.token_ids).toEqual(whole.body.token_ids);
    const responses = await route({ request: { path: "/v1/responses", body: { model: "qwen3", input: "hi" } } });
    expect(responses.body).toMatchObject({ api: "responses" });
  });

  it("gets the headers that its worker's frontend needs, and is placed where its beginning was sent before", async () => {
    const first = await route({ request: { path: "/v1/chat/completions", body: chat } }, "/route_and_reserve");
    expect(first.body.headers).toMatchObject({ "x-dynamo-worker-instance-id": String(first.body.worker_id) });
    // While it runs, its load may weigh as much as its cache.
    await api.call("DELETE", `/reservations/${first.body.reservation.reservation_id}`);
    const second = await route({ request: { path: "/v1/chat/completions", body: chat } });
    expect(second.body).toMatchObject({ worker_id: first.body.worker_id, cached_tokens: expect.any(Number) });
    expect(second.body.cached_tokens).toBeGreaterThanOrEqual(8);
  });

  it("separates caches by the tenant that its headers name", async () => {
    const { body } = await route({
      request: { path: "/v1/chat/completions", headers: { "X-Tenant-Id": "other" }, body: chat },
    });
    expect(body.cached_tokens).toBe(0);
  });

  it.each([
    { name: "no input", body: {}, status: 400, field: "token_ids" },
    { name: "two inputs", body: { token_ids: [1], block_hashes: [1] }, status: 400, field: "token_ids" },
    { name: "an unknown field", body: { token_ids: [1], explian: true }, status: 422, field: "explian" },
    { name: "a token id that is none", body: { token_ids: [1, -1] }, status: 422, field: "token_ids[1]" },
    {
      name: "a client's body of another shape",
      body: { request: { path: "/v1/chat/completions", body: { model: "qwen3" } } },
      status: 400,
      field: "messages",
    },
    {
      name: "a client's body that is no JSON",
      body: { request: { path: "/v1/chat/completions", body: "{" } },
      status: 400,
    },
    { name: "a body that is another value", body: { request: { body: 7 } }, status: 422, field: "request.body" },
    {
      name: "headers that are no texts",
      body: { request: { headers: { a: 1 }, body: {} } },
      status: 422,
      field: "request.headers.a",
    },
    {
      name: "a model that is not served",
      body: { request: { path: "/v1/completions", body: { model: "other", prompt: "x" } } },
      status: 404,
      field: "model",
    },
    {
      name: "fields that choose a worker",
      body: { request: { path: "/v1/chat/completions", body: { ...chat, nvext: { backend_instance_id: 1 } } } },
      status: 400,
    },
  ])("refuses $name and names the field", async ({ body, status, field }) => {
    const answer = await route(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      error: expect.any(String),
      code: expect.any(String),
      ...(field && { field: expect.stringContaining(field) }),
    });
  });
});

describe("explanations", () => {
  it("tell every worker's load, overlap and cost, and hold no prompt", async () => {
    const api = await RunningApi.start(settings);
    try {
      const prompt = { token_ids: [123_456, 2, 3, 4, 5], model_name: "qwen3" };
      const { body, text } = await api.call("POST", "/route", { ...prompt, explain: true });
      const { candidates } = body.explanation.answering;
      expect(candidates).toHaveLength(2);
      expect(candidates[0]).toMatchObject({
        worker_name: "one",
        overlap_blocks: { device: 0 },
        load: { requests: 0 },
        terms: { cost: 2.25 },
      });
      expect(text).not.toContain("123456");
      expect((await api.call("POST", "/route", prompt)).body).not.toHaveProperty("explanation");
    } finally {
      await api.close();
    }
  });
});

describe("what is booked", () => {
  let api: RunningApi;

  beforeAll(async () => {
    api = await RunningApi.start(settings);
  });

  afterAll(() => api.close());

  const prompt = { token_ids: [1, 2, 3, 4, 5, 6, 7, 8, 9], model_name: "qwen3" };
  const loads = async (): Promise<number> => {
    const { body } = await api.call("GET", "/loads");
    return body[0].loads.reduce((sum: number, each: { active_requests: number }) => sum + each.active_requests, 0);
  };

  it("is nothing for a query", async () => {
    for (const path of ["/route", "/select", "/overlap_scores", "/potential_loads"]) {
      expect((await api.call("POST", path, prompt)).status).toBe(200);
    }
    expect(await loads()).toBe(0);
  });

  it("lives from the choice to its release, and its lease is named and renewed", async () => {
    const { body } = await api.call("POST", "/route_and_reserve", { ...prompt, reservation_id: "mine" });
    expect(body.reservation).toEqual({ reservation_id: "mine", lease_ms: 60_000 });
    expect(await loads()).toBe(1);
    const again = await api.call("POST", "/route_and_reserve", { ...prompt, reservation_id: "mine" });
    expect({ status: again.status, code: again.body.code }).toEqual({ status: 409, code: "reservation_conflict" });
    for (const call of ["prefill_complete", "prefill_complete", "renew"]) {
      const answer = await api.call("POST", `/reservations/mine/${call}`);
      expect({ call, status: answer.status, lease: answer.headers["x-reservation-lease-ms"] }).toEqual({
        call,
        status: 200,
        lease: "60000",
      });
    }
    expect((await api.call("DELETE", "/reservations/mine")).status).toBe(200);
    expect(await loads()).toBe(0);
    for (const [method, path] of [
      ["DELETE", "/reservations/mine"],
      ["POST", "/reservations/mine/prefill_complete"],
      ["POST", "/reservations/never/renew"],
    ] as const) {
      const answer = await api.call(method, path);
      expect({ path, status: answer.status, code: answer.body.code }).toEqual({
        path,
        status: 404,
        code: "unknown_reservation",
      });
    }
  });

  it("gets an id that nobody can guess when the caller gives none", async () => {
    const answers: Answer[] = [];
    for (let i = 0; i < 3; i++) answers.push(await api.call("POST", "/route_and_reserve", prompt));
    const ids = answers.map(({ body }) => body.reservation.reservation_id as string);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) {
      expect(id.slice(id.lastIndexOf(".") + 1)).toMatch(/^[0-9a-f-]{36}$/);
      await api.call("DELETE", `/reservations/${id}`);
    }
    expect(await loads()).toBe(0);
  });

  it("names its replica: calls on that of another one are told where they belong", async () => {
    const [one, two] = await Promise.all(
      ["pod-1", "pod-2.pool"].map((id) => RunningApi.start(`${settings}\nreplicas: { id: ${id} }`)),
    );
    if (one === undefined || two === undefined) throw new Error("unreachable");
    try {
      const { body } = await two.call("POST", "/route_and_reserve", prompt);
      const id = body.reservation.reservation_id as string;
      expect(id.startsWith("pod-2.pool.")).toBe(true);
      for (const [method, path] of [
        ["POST", `/reservations/${id}/prefill_complete`],
        ["POST", `/reservations/${id}/output_block`],
        ["POST", `/reservations/${id}/renew`],
        ["DELETE", `/reservations/${id}`],
      ] as const) {
        const sent = path.endsWith("output_block") ? {} : undefined;
        const elsewhere = await one.call(method, path, sent);
        expect({ path, status: elsewhere.status, code: elsewhere.body.code }).toEqual({
          path,
          status: 421,
          code: "other_replica",
        });
        expect(elsewhere.body.error).toContain("replica pod-2.pool:");
        expect((await two.call(method, path, sent)).status).toBe(200);
      }
      // What one has ended it does not know; what no replica has made, neither.
      expect((await two.call("DELETE", `/reservations/${id}`)).body.code).toBe("unknown_reservation");
      expect((await one.call("DELETE", "/reservations/pod-2.mine")).body.code).toBe("unknown_reservation");
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });
});

describe("hashes in place of tokens", () => {
  it("are enough alone, and find what the tokens find", async () => {
    const api = await RunningApi.start(settings);
    try {
      const token_ids = Array.from({ length: 16 }, (_, i) => i + 1);
      const reserved = await api.call("POST", "/select_and_reserve", { token_ids, model_name: "qwen3" });
      await api.call("DELETE", `/reservations/${reserved.body.selection_id}`);
      // Block hashes of tokens 1..4 and 5..8, from the vectors of dynamo@1.6.1, as signed integers.
      const block_hashes = [14643705804678351452n, 16777012769546811212n].map((hash) => BigInt.asIntN(64, hash));
      const { body } = await api.call("POST", "/route", { block_hashes, model_name: "qwen3" });
      expect(body).toMatchObject({ worker_id: reserved.body.worker_id, input_tokens: 8, cached_tokens: 8 });
    } finally {
      await api.close();
    }
  });
});

describe("the mode", () => {
  it("query books nothing for anybody", async () => {
    const api = await RunningApi.start(settings.replace("mode: reserve", "mode: query"));
    try {
      const prompt = { token_ids: [1, 2, 3], model_name: "qwen3" };
      expect((await api.call("POST", "/route", prompt)).status).toBe(200);
      expect((await api.call("POST", "/select", { ...prompt, selection_id: "x" })).status).toBe(200);
      for (const [method, path, body] of [
        ["POST", "/route_and_reserve", prompt],
        ["POST", "/select_and_reserve", prompt],
        ["POST", "/reservations", { selection_id: "x" }],
        ["POST", "/reservations/x/prefill_complete", undefined],
        ["DELETE", "/reservations/x", undefined],
      ] as const) {
        const answer = await api.call(method, path, body);
        expect({ path, status: answer.status, code: answer.body.code }).toEqual({
          path,
          status: 403,
          code: "forbidden",
        });
      }
    } finally {
      await api.close();
    }
  });
});

describe("before the model is loaded", () => {
  it.each(["dynamo", "vllm", "sglang"])(
    "a client's request to %s is told so, and token ids and hashes are answered",
    async (profile) => {
      const api = await RunningApi.start(settingsOf(`folder: ${testModelFolder()}, profile: ${profile}`), {
        isLoading: true,
      });
      const request = { path: "/v1/chat/completions", body: chat };
      for (const path of ["/route", "/route_and_reserve"]) {
        const { status, body, headers } = await api.call("POST", path, { request });
        expect([status, body.code, headers["retry-after"]]).toEqual([503, "not_ready", "1"]);
        expect((await api.call("POST", path, { model_name: "qwen3", token_ids: [1, 2, 3, 4] })).status).toBe(200);
      }
      const selected = await api.call("POST", "/select", { model_name: "qwen3", token_ids: [1, 2, 3, 4] });
      expect(selected.status).toBe(200);
      const hashed = { model_name: "qwen3", block_hashes: [1], isl_tokens: 4 };
      expect((await api.call("POST", "/route", hashed)).status).toBe(200);
      const embeddings = { path: "/v1/embeddings", body: { model: "qwen3", input: "a" } };
      expect((await api.call("POST", "/route", { request: embeddings })).status).toBe(200);
      const totals = await api.metrics.render();
      expect(totals).not.toContain("is not known here");
      await api.close();
    },
  );
});
