import { readFileSync } from "node:fs";
import type { DecisionDialect } from "../../../src/decisions/index.ts";

const folder = new URL("../../fixtures/decisions/", import.meta.url);

/** A file of vectors made with dynamo-decisions 0.1.0; its `source` says how. */
export function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as T;
}

export function dialectOf(route: string): DecisionDialect {
  return route.endsWith("decisions") ? "openai" : "jev";
}

/** An error as the vectors write it. */
export interface ErrorVector {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly body: unknown;
}
