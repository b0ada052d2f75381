import { DecisionError } from "../../decisions/index.ts";
import type { NoScoring } from "../../router/index.ts";
import { noWorker } from "./fault-of.ts";

/** Why a model makes no decisions, as a client is told. */
export function noScoringError(reason: NoScoring): DecisionError {
  switch (reason) {
    case "unknown_model":
      return new DecisionError("unknown_model", "model is not registered");
    case "not_scorable":
      return new DecisionError("not_scorable", "model does not support aggregate SGLang scoring");
    case "no_worker":
      return noWorker();
  }
}
