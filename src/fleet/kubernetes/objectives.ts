import { memberOf, wholeNumberOf } from "./fields.ts";
import { type Policy, policyOf } from "./policy.ts";

/** An InferenceObjective. */
export interface InferenceObjective extends Policy {
  /** Higher goes first. */
  readonly priority: number;
}

/** Reads an InferenceObjective, v1alpha2. @returns undefined for one that is being deleted */
export function readObjective(object: unknown): InferenceObjective | undefined {
  const policy = policyOf(object);
  return policy && { ...policy, priority: wholeNumberOf(memberOf(object, "spec", "priority")) ?? 0 };
}

/** Priorities by the objectives' names; of two with one name the first counts. */
export function prioritiesOf(objectives: readonly InferenceObjective[]): ReadonlyMap<string, number> {
  const priorities = new Map<string, number>();
  for (const { name, priority } of objectives) if (!priorities.has(name)) priorities.set(name, priority);
  return priorities;
}
