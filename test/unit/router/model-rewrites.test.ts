import { describe, expect, it } from "vitest";
import { type ModelRewriteRule, ModelRewrites } from "../../../src/router/index.ts";

const to = (...models: string[]) => models.map((model) => ({ model, weight: undefined }));
const rule = (models: readonly string[] | undefined, ...targets: string[]): ModelRewriteRule => ({
  models,
  targets: to(...targets),
});

function rewritesOf(
  rules: readonly ModelRewriteRule[],
  draws: readonly number[] = [0],
  configured = [] as ModelRewriteRule[],
) {
  let drawn = 0;
  const rewrites = new ModelRewrites(configured, () => draws[drawn++ % draws.length] ?? 0);
  rewrites.discovered(rules);
  return rewrites;
}

describe("ModelRewrites", () => {
  it("leaves models alone that no rule is about", () => {
    const rewrites = rewritesOf([rule(["a"], "b")]);
    expect(rewrites.targetOf("x")).toBeUndefined();
    expect(rewrites.targetOf(undefined)).toBeUndefined();
    expect(rewritesOf([]).areAny).toBe(false);
  });

  // Precedence as InferenceModelRewrite says it: exact before generic, then the order.
  it.each([
    {
      name: "an exact match wins over an earlier generic one",
      rules: [rule(undefined, "g"), rule(["a"], "e")],
      target: "e",
    },
    {
      name: "of exact matches the first counts",
      rules: [rule(["a"], "first"), rule(["a"], "second")],
      target: "first",
    },
    {
      name: "of generic ones the first counts",
      rules: [rule(undefined, "first"), rule(undefined, "second")],
      target: "first",
    },
    { name: "any of a rule's matches will do", rules: [rule(["x", "a"], "e")], target: "e" },
    { name: "models are told apart by case", rules: [rule(["A"], "e")], target: undefined },
  ])("$name", ({ rules, target }) => {
    expect(rewritesOf(rules).targetOf("a")).toBe(target);
  });

  it("gives a request without a model what every request gets", () => {
    expect(rewritesOf([rule(undefined, "g")]).targetOf(undefined)).toBe("g");
  });

  it("asks the settings' rules before discovered ones", () => {
    expect(rewritesOf([rule(["a"], "discovered")], [0], [rule(["a"], "own")]).targetOf("a")).toBe("own");
    expect(rewritesOf([rule(["a"], "discovered")], [0], [rule(undefined, "own")]).targetOf("a")).toBe("discovered");
  });

  it.each([
    { name: "by their weights", weights: [1, 3], draws: [0, 0.249, 0.25, 0.999], targets: ["0", "0", "1", "1"] },
    {
      name: "equally without weights",
      weights: [undefined, undefined],
      draws: [0, 0.49, 0.5, 0.99],
      targets: ["0", "0", "1", "1"],
    },
    {
      name: "never one without a weight beside one with",
      weights: [undefined, 2],
      draws: [0, 0.5, 0.999],
      targets: ["1", "1", "1"],
    },
    {
      name: "the greatest weights",
      weights: [1_000_000, 1_000_000],
      draws: [0, 0.4999, 0.5],
      targets: ["0", "0", "1"],
    },
  ])("draws among targets: $name", ({ weights, draws, targets }) => {
    const split = { models: ["a"], targets: weights.map((weight, i) => ({ model: String(i), weight })) };
    const rewrites = rewritesOf([split], draws);
    expect(draws.map(() => rewrites.targetOf("a"))).toEqual(targets);
  });
});
