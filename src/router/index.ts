export type { RegisteredWorker, WorkerPatch, WorkerRank, WorkerRegistration } from "../fleet/index.ts";
export { UnscorablePromptError } from "../model/index.ts";
export {
  DecisionLog,
  type DecisionLogOptions,
  type DecisionSummary,
  type LoggedDecision,
} from "./decision-log.ts";
export { type AggregatedReason, type DisaggregationOptions, resolveDisaggregation } from "./disaggregation.ts";
export type { Elsewhere, PrepareWait, Unprepared } from "./elsewhere.ts";
export { explainSelection, type RouteExplanation } from "./explanation.ts";
export { flowOf } from "./flow.ts";
export type { GivenPrompt, HashPrompt, TokenPrompt } from "./given-prompt.ts";
export { ModelRegistry, type PromptPipeline, type ServedModel } from "./model-registry.ts";
export { type ModelRewriteRule, ModelRewrites, type ModelRewriteTarget } from "./model-rewrites.ts";
export { Objectives } from "./objectives.ts";
export { defaultGroup, type Partition, type PartitionClaim, Partitions } from "./partitions.ts";
export type { PendingOptions } from "./pending-selections.ts";
export { type BookedPick, PickAttempt, type PickClock, type PickOutcome } from "./pick-attempt.ts";
export { FollowedWait, type PickStageName, type PickStages } from "./pick-stages.ts";
export {
  type EndpointRestriction,
  noDemands,
  type Placeable,
  type RouteDemands,
  type RouteOverrides,
} from "./placeable.ts";
export {
  isModelLoading,
  type PreparedRequest,
  type PrepareInput,
  type PrepareOptions,
  prepareRequest,
} from "./prepare.ts";
export { type RewrittenBody, rewriteModel } from "./rewritten-body.ts";
export type { LeasedDecision, RouteDecision, RouteReservation, RouteTarget, UsedTokens } from "./route-decision.ts";
export type { RequestHeaders, RouteRequest } from "./route-request.ts";
export { type AdmissionOptions, noAdmission, Router, type RouterOptions, type RouterState } from "./router.ts";
export {
  type NoScoring,
  newNamespace,
  type ScoringDemand,
  type ScoringModel,
  ScoringPicks,
  type ScoringRouter,
} from "./scoring-picks.ts";
export { type PhaseChoice, predictedCachedTokens, type Selection, type SessionOutcome } from "./selection.ts";
export type { AffinityTarget, PotentialLoad } from "./selections.ts";
export { Selections } from "./selections.ts";
export type { SentPrompts } from "./sent-prompts.ts";
export type { RouteSession } from "./session.ts";
export { targetAttributes, usageAttributes } from "./trace-attributes.ts";
export { notServedText } from "./unknown-model.ts";
export { WorkerDirectory } from "./worker-directory.ts";
