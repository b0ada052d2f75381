import { describe, expect, it } from "vitest";
import type { ChatParsed } from "../../../src/api/index.ts";
import { parseBody, parseText, refusalOf } from "./fixtures.ts";

const path = "/v1/chat/completions";
const base = { model: "m", messages: [{ role: "user", content: "hi" }] };

function parse(extra: object): ChatParsed {
  const parsed = parseBody(path, { ...base, ...extra });
  if (parsed.api !== "chat") throw new Error(parsed.api);
  return parsed;
}

describe("extensions", () => {
  it("are empty for a plain request", () => {
    expect(parse({}).extensions).toEqual({
      tokenData: undefined,
      cacheSalt: undefined,
      expectedOutputTokens: undefined,
      priority: undefined,
      stream: false,
    });
  });

  it("carry the client's tokens and hints", () => {
    const nvext = { token_data: [0, 4_294_967_295], agent_hints: { osl: 200, priority: -3 } };
    expect(parse({ nvext, stream: true }).extensions).toMatchObject({
      tokenData: Uint32Array.of(0, 4_294_967_295),
      expectedOutputTokens: 200,
      priority: -3,
      stream: true,
    });
  });

  it.each([
    [{ nvext: { cache_salt: "a" }, cache_salt: "b" }, "a"],
    [{ nvext: { cache_salt: "" }, cache_salt: "b" }, "b"],
    [{ nvext: null, cache_salt: "b" }, "b"],
    [{ cache_salt: "" }, undefined],
    [{ cache_salt: null }, undefined],
  ])("%j has the cache salt %s", (extra, salt) => {
    expect(parse(extra).extensions.cacheSalt).toBe(salt);
  });

  it("ignore a top-level salt on Responses, whose unknown fields the frontend drops", () => {
    const parsed = parseBody("/v1/responses", { model: "m", input: "x", cache_salt: "b" });
    expect(parsed.api === "responses" && parsed.extensions.cacheSalt).toBeUndefined();
  });

  it.each([
    [{ zz: 1 }, "nvext.zz"],
    [[], "nvext"],
    [{ token_data: [1, -1] }, "nvext.token_data[1]"],
    [{ token_data: [4_294_967_296] }, "nvext.token_data[0]"],
    [{ token_data: ["1"] }, "nvext.token_data[0]"],
    [{ backend_instance_id: -1 }, "nvext.backend_instance_id"],
    [{ agent_hints: { zz: 1 } }, "nvext.agent_hints.zz"],
    [{ routing_constraints: { required_taints: null } }, "nvext.routing_constraints.required_taints"],
    [{ metadata_upload: { url: " " } }, "nvext.metadata_upload.url"],
  ])("nvext %j is refused", (nvext, field) => {
    expect(refusalOf(() => parse({ nvext }))).toMatchObject({ status: 400, field });
  });

  it("take a float for no token id", () => {
    const text = '{"model":"m","messages":[{"role":"user","content":"x"}],"nvext":{"token_data":[1.0]}}';
    expect(refusalOf(() => parseText(path, text))).toMatchObject({ status: 400, field: "nvext.token_data[0]" });
  });
});

describe("client pins", () => {
  it.each([
    [{}, []],
    [{ nvext: { backend_instance_id: null } }, []],
    [
      { nvext: { backend_instance_id: 1, decode_worker_id: 2, prefill_worker_id: 3, dp_rank: 0, prefill_dp_rank: 0 } },
      [
        "nvext.backend_instance_id",
        "nvext.decode_worker_id",
        "nvext.prefill_worker_id",
        "nvext.dp_rank",
        "nvext.prefill_dp_rank",
      ],
    ],
  ])("of a chat body %j", (extra, pins) => {
    expect(parse(extra).clientPins).toEqual(pins);
  });

  it("are found in an engine's body and in a body without prompt", () => {
    const pins = {
      bootstrap_host: "h",
      bootstrap_port: 1,
      bootstrap_room: 0,
      bootstrap_pair_key: "k",
      decode_tp_size: 2,
      disagg_prefill_dp_rank: 0,
      kv_transfer_params: {},
      routed_dp_rank: 0,
      data_parallel_rank: 1,
    };
    for (const [at, body] of [
      [path, base],
      ["/v1/embeddings", {}],
      [undefined, {}],
    ] as const) {
      expect(parseBody(at, { ...body, ...pins }, { dialect: "engine" }).clientPins).toEqual(Object.keys(pins));
    }
  });

  it("cannot hide in an array", () => {
    expect(parseBody("/v1/embeddings", { nvext: [null, null, null, 7] }).clientPins).toEqual(["nvext"]);
  });
});
