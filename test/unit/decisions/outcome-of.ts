import { type DecisionDialect, DecisionError, errorEnvelope } from "../../../src/decisions/index.ts";
import type { ErrorVector } from "./vectors.ts";

/** What a call returns, or the error that it throws as a client sees it. */
export function outcomeOf<T>(dialect: DecisionDialect, run: () => T): { ok: T } | { error: ErrorVector } {
  try {
    return { ok: run() };
  } catch (error) {
    if (!(error instanceof DecisionError)) throw error;
    const { code, message } = error;
    const body: unknown = JSON.parse(errorEnvelope(dialect, code, message));
    return { error: { status: error.statusIn(dialect), code, message, body } };
  }
}
