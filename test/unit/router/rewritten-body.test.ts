import { describe, expect, it } from "vitest";
import { type ModelRewriteRule, ModelRewrites, type RewrittenBody, rewriteModel } from "../../../src/router/index.ts";

const rule: ModelRewriteRule = { models: ["a"], targets: [{ model: 'b"ß', weight: undefined }] };
const generic: ModelRewriteRule = { models: undefined, targets: [{ model: "g", weight: undefined }] };

function headersOf(values: Readonly<Record<string, string>> = {}) {
  return {
    get: (name: string) => values[name],
    getAll: (name: string) => (name in values ? [values[name] ?? ""] : []),
  };
}

async function rewritten(text: string, rules = [rule], headers = {}): Promise<RewrittenBody | undefined> {
  const rewrites = new ModelRewrites([], () => 0);
  rewrites.discovered(rules);
  return await rewriteModel(Buffer.from(text), headersOf(headers), rewrites);
}

describe("rewriteModel", () => {
  // Expected bodies are written by hand: the model's name is all that differs.
  it.each([
    {
      name: "in the middle",
      body: '{"n": 1e2, "model" :  "a" ,"x":"\\u00e9"}',
      changed: '{"n": 1e2, "model" :  "b\\"ß" ,"x":"\\u00e9"}',
    },
    { name: "written with escapes", body: '{"model":"\\u0061"}', changed: '{"model":"b\\"ß"}' },
    { name: "under a key with escapes", body: '{"mod\\u0065l":"a"}', changed: '{"mod\\u0065l":"b\\"ß"}' },
    { name: "with spaces around", body: ' \n{"model":"a"}\n ', changed: ' \n{"model":"b\\"ß"}\n ' },
  ])("changes the name and no other byte: $name", async ({ body, changed }) => {
    expect((await rewritten(body))?.body.toString()).toBe(changed);
  });

  it("does not look into what is inside of other members", async () => {
    expect(await rewritten('{"metadata":{"model":"a"},"model":"x"}')).toBeUndefined();
  });

  it.each(["", "[]", '{"model":1}', '{"model":null}', "{", '"model"', '{"model":"a"', '["model":"a"]'])(
    "leaves %j to others",
    async (body) => {
      expect(await rewritten(body, [rule, generic])).toBeUndefined();
    },
  );

  it("gives a body without a model the one of every request", async () => {
    const result = await rewritten('{"prompt":"x"}', [generic]);
    expect(result?.body.toString()).toBe('{"prompt":"x","model":"g"}');
    expect(result?.requested).toBeUndefined();
  });

  it("leaves a body that has the wanted name", async () => {
    expect(await rewritten('{"model":"g"}', [generic])).toBeUndefined();
  });

  // Source: the endpoint-picker protocol's headers; a rule wins, as in llm-d-router's director.
  it.each([
    { headers: { "x-llm-d-model-name-rewrite": "h" }, rules: [], target: "h" },
    { headers: { "x-gateway-model-name-rewrite": "old" }, rules: [], target: "old" },
    { headers: { "x-gateway-model-name-rewrite": "old", "x-llm-d-model-name-rewrite": "h" }, rules: [], target: "h" },
    { headers: { "x-llm-d-model-name-rewrite": " " }, rules: [], target: undefined },
    { headers: { "x-llm-d-model-name-rewrite": "h" }, rules: [rule], target: 'b"ß' },
  ])("takes the gateway's header where no rule is about the model: $headers", async ({ headers, rules, target }) => {
    expect((await rewritten('{"model":"a"}', rules, headers))?.target).toBe(target);
  });

  it("looks through large bodies between other work", async () => {
    const pad = "x".repeat(1_000_000);
    const rewrites = new ModelRewrites([rule], () => 0);
    const result = rewriteModel(Buffer.from(`{"pad":"${pad}","model":"a"}`), headersOf(), rewrites);
    expect(result).toBeInstanceOf(Promise);
    expect((await result)?.body.toString()).toBe(`{"pad":"${pad}","model":"b\\"ß"}`);
  });
});
