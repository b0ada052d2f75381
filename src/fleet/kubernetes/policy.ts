import { memberOf, textOf } from "./fields.ts";
import { defaultPoolGroup } from "./pool.ts";

/** What objects that belong to a pool have in common. */
export interface Policy {
  readonly name: string;
  /** As the API writes times: `2026-11-30T04:05:06Z`, which sorts by age. */
  readonly createdAt: string;
  readonly poolName: string | undefined;
  readonly poolGroup: string;
}

/** @returns undefined for an object that is being deleted, or is none */
export function policyOf(object: unknown): Policy | undefined {
  const metadata = memberOf(object, "metadata");
  const name = textOf(memberOf(metadata, "name"));
  if (name === undefined || memberOf(metadata, "deletionTimestamp") !== undefined) return undefined;
  const pool = memberOf(object, "spec", "poolRef");
  return {
    name,
    createdAt: textOf(memberOf(metadata, "creationTimestamp")) ?? "",
    poolName: textOf(memberOf(pool, "name")),
    poolGroup: textOf(memberOf(pool, "group")) ?? defaultPoolGroup,
  };
}

/** The oldest first; of one age by name, as Gateway API settles conflicts. */
export function byAge(a: Policy, b: Policy): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
