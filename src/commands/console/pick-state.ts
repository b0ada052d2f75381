import type { DecisionSummary, LoggedDecision } from "../../router/index.ts";
import type { ExplainedPick, PickedRank, PickSummary } from "../../surface/admin/index.ts";

/** Latest decisions in a state. */
export const listedPicks = 50;

/** Latest refusals in a state. */
export const listedRefusals = 50;

/** A decision as the console writes it. */
export function pickState({ number, picked, prefill, ...rest }: DecisionSummary): PickSummary {
  return { id: String(number), ...rest, picked: picked && rankOf(picked), prefill: prefill && rankOf(prefill) };
}

export function explainedPick({ explanation, ...summary }: LoggedDecision): ExplainedPick {
  return { ...pickState(summary), explanation };
}

function rankOf({ workerId, ...rest }: NonNullable<DecisionSummary["picked"]>): PickedRank {
  return { workerId: workerId.toString(), ...rest };
}
