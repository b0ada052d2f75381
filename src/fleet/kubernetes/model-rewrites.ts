import { listOf, memberOf, textOf, wholeNumberOf } from "./fields.ts";
import { byAge, type Policy, policyOf } from "./policy.ts";

/** A rule of an InferenceModelRewrite. */
export interface RewriteRule {
  /** Names of models as requests have them; undefined = every request. */
  readonly models: readonly string[] | undefined;
  /** Never empty. */
  readonly targets: readonly RewriteTarget[];
}

/** What a request's model becomes. */
export interface RewriteTarget {
  readonly model: string;
  /** Its part of the requests, against the other targets' weights; undefined = it has none. */
  readonly weight: number | undefined;
}

/** An InferenceModelRewrite. */
export interface InferenceModelRewrite extends Policy {
  readonly rules: readonly RewriteRule[];
}

/** Reads an InferenceModelRewrite, v1alpha2. @returns undefined for one that is being deleted */
export function readModelRewrite(object: unknown): InferenceModelRewrite | undefined {
  const policy = policyOf(object);
  const rules = listOf(memberOf(object, "spec", "rules")).flatMap((rule) => ruleOf(rule) ?? []);
  return policy && { ...policy, rules };
}

/** All rules, those of the oldest object first. */
export function rulesByAge(rewrites: readonly InferenceModelRewrite[]): readonly RewriteRule[] {
  return rewrites.toSorted(byAge).flatMap(({ rules }) => rules);
}

/** A rule without a target changes nothing. */
function ruleOf(rule: unknown): RewriteRule | undefined {
  const targets = listOf(memberOf(rule, "targets")).flatMap((target): RewriteTarget[] => {
    const model = textOf(memberOf(target, "modelRewrite"));
    const weight = wholeNumberOf(memberOf(target, "weight"));
    return model === undefined ? [] : [{ model, weight }];
  });
  if (targets.length === 0) return undefined;
  const matches = listOf(memberOf(rule, "matches"));
  const models = matches.map((match) => textOf(memberOf(match, "model", "value")));
  // A match that names no model is one with every request.
  const isGeneric = models.length === 0 || matches.some((match) => memberOf(match, "model") === undefined);
  return { models: isGeneric ? undefined : models.filter((model) => model !== undefined), targets };
}
