import type { DecisionSummary, LoggedDecision } from "../../router/index.ts";
import type { ExplainedPick, PickedRank, PickSummary } from "../../surface/admin/index.ts";

/** A decision as the console writes it. */
export function pickState(summary: DecisionSummary): PickSummary {
  const { number, atMs, requestId, outcome, api, model, promptTokens, promptBlocks, heldBlocks } = summary;
  return {
    id: String(number),
    atMs,
    requestId,
    outcome,
    api,
    model,
    promptTokens,
    promptBlocks,
    heldBlocks,
    picked: summary.picked && rankOf(summary.picked),
    prefill: summary.prefill && rankOf(summary.prefill),
  };
}

export function explainedPick({ explanation, ...summary }: LoggedDecision): ExplainedPick {
  return { ...pickState(summary), explanation };
}

function rankOf({ workerId, ...rest }: NonNullable<DecisionSummary["picked"]>): PickedRank {
  return { workerId: workerId.toString(), ...rest };
}
