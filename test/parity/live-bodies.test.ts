import { describe, expect, it } from "vitest";
import { bodyText, composeBody } from "../live/parity/bodies/body.ts";
import { damagedText, type NodeSource, node, plainSpelling, write } from "../live/parity/bodies/json-node.ts";
import { deliberateDifference } from "../live/parity/deliberate.ts";
import { outcomeOfComparison } from "../live/parity/outcome.ts";
import { smallestBody } from "../live/parity/smallest-body.ts";

describe("composed bodies", () => {
  const texts = (seed: number) =>
    Array.from({ length: 300 }, (_, index) => {
      const body = composeBody(seed, index, 0.25);
      return `${body.path} ${bodyText(body, "qwen3")}`;
    });

  it("are the same for the same seed, and others for another", () => {
    expect(texts(1)).toEqual(texts(1));
    expect(new Set([...texts(1), ...texts(2)]).size).toBeGreaterThan(590);
  });

  it("are JSON that names the model, unless they are spoilt", () => {
    for (let index = 0; index < 300; index++) {
      expect(JSON.parse(bodyText(composeBody(3, index, 0), "qwen3"))).toHaveProperty("model");
    }
  });

  it("can be written whatever spoils them", () => {
    for (let index = 0; index < 4_000; index++) {
      expect(bodyText(composeBody(1105, index, 1), "qwen3").length).toBeGreaterThanOrEqual(0);
    }
  });

  it("are damaged in a part of the spoilt ones", () => {
    const damaged = Array.from({ length: 600 }, (_, index) => composeBody(4, index, 1)).filter((body) => body.damage);
    expect(damaged.length).toBeGreaterThan(60);
    expect(damagedText("abc", { at: 0.4, lost: 1, put: "xy" })).toBe("axyc");
  });

  it("say the same however they are spelled", () => {
    const tree = node({ 'k"/é': ["😀", 1, null, { a: "\u2028" }] });
    const spelled = write(tree, { space: "\n ", escapes: true });
    expect(spelled).toMatch(/^[\x20-\x7e\n]*$/);
    expect(JSON.parse(spelled)).toEqual(JSON.parse(write(tree)));
  });
});

describe("smallestBody", () => {
  it("keeps only what makes the difference", async () => {
    const tree = node({ a: [1, { text: "some long text", b: 2 }], c: "x", d: { e: [] } });
    const smallest = await smallestBody(tree, (candidate) => Promise.resolve(write(candidate).includes("text")));
    expect(write(smallest, plainSpelling)).toBe('{"a":[{"text":""}]}');
  });
});

describe("the outcome of a comparison", () => {
  it.each([
    { name: "each body as a test", total: 10, failed: 2, outcome: { passed: 8, failed: 2, problems: [] } },
    {
      name: "nothing compared as a failure",
      total: 0,
      failed: 0,
      outcome: { passed: 0, failed: 1, problems: ["nothing was compared"] },
    },
  ])("counts $name", async ({ total, failed, outcome }) => {
    expect(await outcomeOfComparison(() => Promise.resolve({ total, failed }))).toEqual(outcome);
  });

  it("counts one that could not run as a failure, and says why", async () => {
    const outcome = await outcomeOfComparison(() => Promise.reject(new Error("no frontend")));
    expect(outcome).toMatchObject({ passed: 0, failed: 1, problems: [expect.stringContaining("no frontend")] });
  });
});

describe("deliberate differences", () => {
  const refused = (field: string | null, message: string) => ({
    ...{ name: "", status: 400, api: null, token_ids: null, injected: false },
    error: { code: "invalid_request", field, message },
  });
  const unknown = { name: "", status: 200, api: "chat", token_ids: null, injected: false, error: null };
  const chat = (body: NodeSource, path = "/v1/chat/completions") => ({ path, tree: node(body) });
  const taken = { status: 200 };

  it.each([
    {
      rule: "Words are not given as numbers",
      body: chat({ messages: [{ role: 1 }] }),
      ours: refused("messages[0].role", "`messages[0].role` must be one of user, tool"),
    },
    {
      rule: "Objects are not given as arrays",
      body: chat({ nvext: [] }),
      ours: refused("nvext", "`nvext` must be an object"),
    },
    {
      rule: "A batch is refused whole",
      body: chat({ prompt: [[1], [900_000]] }, "/v1/completions"),
      ours: refused("prompt[1][0]", "is not a token id of the model"),
    },
    {
      rule: "The whole body is JSON",
      body: chat({}, "/v1/messages"),
      ours: refused(null, "the body is not JSON: lone surrogate"),
    },
  ])("$rule", ({ rule, body, ours }) => {
    expect(deliberateDifference({ body, ours, theirs: taken })?.name).toBe(rule);
  });

  it("explain a refusal for another reason, where the frontend gets that far", () => {
    const ours = refused(null, "the body is not JSON: nesting deeper than 127 levels");
    const explained = deliberateDifference({ body: chat({}, "/v1/messages"), ours, theirs: { status: 404 } });
    expect(explained?.name).toBe("The whole body is JSON");
  });

  it.each([
    {
      name: "a word that is unknown",
      body: chat({ messages: [{ role: "x" }] }),
      ours: refused("messages[0].role", "must be one of a, b"),
    },
    { name: "a number out of range", body: chat({ n: 5 }), ours: refused("n", "`n` must be between 1 and 4") },
    {
      name: "a first prompt out of range",
      body: chat({ prompt: [[9]] }),
      ours: refused("prompt[0][0]", "is not a token id"),
    },
    { name: "a plain prompt without tokens", body: chat({ messages: [{ content: "x" }] }), ours: unknown },
  ])("do not excuse $name", ({ body, ours }) => {
    expect(deliberateDifference({ body, ours, theirs: taken })).toBeUndefined();
  });
});
