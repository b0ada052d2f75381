import type { Policy } from "./fleet-simulation.ts";

/** What a deployment's own settings are compared with: choices that look at less, and Dynamo's defaults. */
export const plainPolicies: readonly Policy[] = [
  { name: "random", pick: {}, order: "random" },
  { name: "round-robin", pick: {}, order: "round-robin" },
  { name: "load-only", pick: { overlapScoreCredit: 0 } },
  { name: "dynamo", pick: { tieBreak: "random" } },
];
