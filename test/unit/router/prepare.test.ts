import { describe, expect, it } from "vitest";
import { applyEdit } from "../../../src/json/index.ts";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { LateModel, profileByName } from "../../../src/model/index.ts";
import { isModelLoading, ModelRegistry, prepareRequest } from "../../../src/router/index.ts";
import { blockSize, completion, fixture, headers, request } from "./fixture.ts";

const workers = [{ name: "a", endpoint: "10.0.0.1:80" }];

describe("preparing a request", () => {
  it("injects the tokens where the profile's backend takes them, and leaves every other byte", async () => {
    const { router } = fixture({ workers });
    const sent = { ...completion(""), body: Buffer.from('{ "prompt":"ab",  "model" : "m", "temperature": 1.0 }') };
    const { bodyEdit } = await router.prepare(sent);
    const body = bodyEdit && applyEdit(sent.body, bodyEdit).toString();
    expect(body).toBe('{ "prompt":"ab",  "model" : "m", "temperature": 1.0 ,"nvext":{"token_data":[97,98]}}');
  });

  it.each(["vllm", "sglang"] as const)("injects nothing for %s", async (profile) => {
    const { router } = fixture({ workers, profile });
    expect((await router.prepare(completion("ab"))).bodyEdit).toBeUndefined();
  });

  it("routes on the client's own tokens and does not replace them", async () => {
    const { router } = fixture({ workers });
    const prepared = await router.prepare(completion("ab", { nvext: { token_data: [7, 8, 9, 10] } }));
    expect(prepared.bodyEdit).toBeUndefined();
    expect([...(prepared.prompt?.tokenIds ?? [])]).toEqual([7, 8, 9, 10]);
    expect(prepared.hashes?.count).toBe(1);
  });

  it("routes a batch of prompts and injects nothing", async () => {
    const { router } = fixture({ workers });
    const prepared = await router.prepare(completion(["abcd", "xyz"]));
    expect(prepared.bodyEdit).toBeUndefined();
    expect(prepared.hashes?.count).toBe(1);
  });

  it.each([
    { name: "the model's name", model: "m", found: "m" },
    { name: "an alias", model: "alias", found: "m" },
  ])("finds the model by $name", async ({ model, found }) => {
    const { router } = fixture({ workers });
    expect((await router.prepare(completion("ab", { model }))).model?.name).toBe(found);
  });

  it("keeps an adapter's blocks apart from the model's, under the seed of its name", async () => {
    const { router } = fixture({ workers });
    const plain = await router.prepare(completion("abcdefgh"));
    const tuned = await router.prepare(completion("abcdefgh", { model: "tuned" }));
    expect(tuned.model?.name).toBe("m");
    const tokens = Uint32Array.from("abcdefgh", (character) => character.charCodeAt(0));
    expect(tuned.hashes).toEqual(hashBlocks(tokens, { blockSize, loraName: "tuned" }));
    expect(tuned.hashes).not.toEqual(plain.hashes);
  });

  it("hashes windows of one token more for an Eagle model", async () => {
    const { router } = fixture({ workers, isEagle: true });
    const { hashes } = await router.prepare(completion("abcdefgh"));
    const tokens = Uint32Array.from("abcdefgh", (character) => character.charCodeAt(0));
    expect(hashes).toEqual(hashBlocks(tokens, { blockSize, isEagle: true }));
    expect(hashes?.count).toBe(1);
  });

  it("refuses an unknown model, or places it by load where the setting says so", async () => {
    const unknown = completion("ab", { model: "other" });
    const strict = fixture({ workers });
    await expect(async () => strict.router.prepare(unknown)).rejects.toMatchObject({
      code: "unknown_model",
      field: "model",
      message: 'the model "other" is not served here; served here: "m"',
    });
    const lenient = fixture({ workers, options: { unknownModel: "load" } });
    const prepared = await lenient.router.prepare(unknown);
    expect(prepared).toMatchObject({ loadOnlyReason: "unknown model", hashes: undefined });
  });

  it.each(["/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"])(
    "says of a load-only model behind an engine that it is one: %s",
    async (path) => {
      const models = new ModelRegistry([
        {
          name: "m",
          aliases: [],
          pipeline: undefined,
          dialect: "engine",
          index: new PrefixIndex({ blockSize, maxBlocks: 8 }),
        },
      ]);
      const body = { model: "m", prompt: "x", input: "x", messages: [{ role: "user", content: "x" }] };
      const sent = { path, body: Buffer.from(JSON.stringify(body)), tenantIds: [], trustClient: false };
      const prepared = await prepareRequest(sent, models, {
        unknownModel: "refuse",
        refuseUnknownShapes: false,
        maxJsonDepth: 128,
      });
      expect(prepared).toMatchObject({ loadOnlyReason: "load-only model", model: { name: "m" }, hashes: undefined });
      expect(prepared.api).not.toBe("promptless");
    },
  );

  it.each(["/v1/embeddings", "/v1/models", "/somewhere"])("places %s by load, its body untouched", async (path) => {
    const { router } = fixture({ workers });
    const prepared = await router.prepare(request(path, '{"input":["x"]}'));
    expect(prepared).toMatchObject({ api: "promptless", hashes: undefined, bodyEdit: undefined });
  });

  it("restores the original refusal of unknown shapes by setting", async () => {
    const { router } = fixture({ workers, options: { refuseUnknownShapes: true } });
    await expect(async () => router.prepare(request("/somewhere", '{"input":["x"]}'))).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("separates caches by tenant: the header wins over the body's salt", async () => {
    const { router } = fixture({ workers });
    const local = async (values: Record<string, string>, body: Record<string, unknown>) => {
      const prepared = await router.prepare({ ...completion("abcd", body), headers: headers(values) });
      return prepared.hashes?.local.join();
    };
    const plain = await local({}, {});
    const salted = await local({}, { nvext: { cache_salt: "t1" } });
    expect(salted).not.toBe(plain);
    expect(await local({ "x-tenant-id": " t1 " }, { nvext: { cache_salt: "other" } })).toBe(salted);
    expect(await local({ "x-tenant-id": " " }, {})).toBe(plain);
  });
});

describe("a request whose model is being loaded", () => {
  const loading = (profile: "vllm" | "sglang" | "dynamo") =>
    fixture({ workers, pipeline: new LateModel(profileByName(profile), blockSize) }).router;
  const messages = [{ role: "user", content: "hi" }];

  it.each([
    ["/v1/chat/completions", "chat", { messages }],
    ["/v1/completions", "completions", { prompt: "hi" }],
    ["/v1/responses", "responses", { input: "hi" }],
    ["/v1/messages", "messages", { messages, max_tokens: 1 }],
    [undefined, "chat", { messages }],
  ])("on %s is placed by load for this reason, whatever engine serves it", async (path, api, body) => {
    for (const profile of ["vllm", "sglang", "dynamo"] as const) {
      const prepared = await loading(profile).prepare({
        ...request("/", JSON.stringify({ model: "m", ...body })),
        path,
      });
      expect(prepared, profile).toMatchObject({
        api,
        loadOnlyReason: "the model is being loaded",
        bodyEdit: undefined,
      });
      expect(isModelLoading(prepared)).toBe(true);
    }
  });

  it("on SGLang's own path is too, and is not refused for a shape that is not known yet", async () => {
    const prepared = await loading("sglang").prepare(request("/generate", '{"model":"m","text":"hi"}'));
    expect(prepared).toMatchObject({ api: "promptless", loadOnlyReason: "the model is being loaded" });
  });

  it("that would have no prompt of ours anyway is placed by load for that", async () => {
    const prepared = await loading("vllm").prepare(request("/v1/embeddings", '{"model":"m","input":"hi"}'));
    expect(prepared).toMatchObject({ api: "promptless", loadOnlyReason: "the path has no prompt of ours" });
    expect(isModelLoading(prepared)).toBe(false);
  });
});

describe("body fields that choose a worker", () => {
  it.each([
    { nvext: { backend_instance_id: 5 } },
    { nvext: { prefill_worker_id: 5 } },
    { bootstrap_host: "h" },
    { kv_transfer_params: { do_remote_prefill: true } },
    { routed_dp_rank: 1 },
  ])("are refused: %j", async (pin) => {
    const { router } = fixture({ workers, profile: "vllm" });
    const [field = ""] = Object.keys(pin);
    await expect(async () => router.prepare(completion("ab", pin))).rejects.toMatchObject({
      code: "invalid_request",
      field: expect.stringContaining(field),
    });
  });

  it.each(["NaN", '"\\ud800"', "1e999", `${"[".repeat(200)}${"]".repeat(200)}`])(
    "are refused on such paths beside what is not JSON here: %s",
    async (odd) => {
      const { router } = fixture({ workers });
      const body = `{"x":${odd},"kv_transfer_params":{}}`;
      await expect(async () => router.prepare(request("/v1/embeddings", body))).rejects.toMatchObject({
        field: "kv_transfer_params",
      });
    },
  );

  it("are refused on paths without a prompt too", async () => {
    const { router } = fixture({ workers });
    await expect(async () =>
      router.prepare(request("/v1/embeddings", '{"kv_transfer_params":{}}')),
    ).rejects.toMatchObject({
      field: "kv_transfer_params",
    });
  });
});
