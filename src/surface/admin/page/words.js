/**
 * @import { AggregatedReason } from "../../../router/disaggregation.ts"
 * @import { SessionOutcome } from "../../../router/selection.ts"
 * @import { Exclusion } from "../../../pick/eligibility.ts"
 */

/** Why a worker could not be picked. @type {Readonly<Record<Exclusion, string>>} */
export const exclusionWords = {
  wrong_role: "Its role does not do this part of the work.",
  outside_subset: "The gateway's subset hint leaves it out.",
  not_allowed: "The caller does not allow it.",
  already_tried: "It has failed this request already.",
  not_pinned: "The request is pinned to another worker.",
  missing_taint: "It lacks a taint that the request requires.",
  adapter_not_loaded: "It has not loaded the LoRA adapter that the request asks for.",
  draining: "It is draining: it finishes what it has and gets nothing new.",
  unhealthy: "Its health check fails.",
  overloaded: "It is over a limit of the admission settings.",
  other_domain: "It is in another topology domain than the other half of the pair.",
  crowded: "It runs many more requests than the idlest one, so it is passed over whatever it holds.",
  other_session: "The request's session belongs to another worker, and affinity is hard.",
};

/** The same in a few words, for counting. @type {Readonly<Record<Exclusion, string>>} */
export const exclusionNames = {
  wrong_role: "of another role",
  outside_subset: "outside the gateway's subset",
  not_allowed: "not allowed by the caller",
  already_tried: "tried already",
  not_pinned: "not the pinned one",
  missing_taint: "without a required taint",
  adapter_not_loaded: "without the adapter",
  draining: "draining",
  unhealthy: "unhealthy",
  overloaded: "overloaded",
  other_domain: "in another domain",
  crowded: "crowded",
  other_session: "not the session's",
};

/** Why one worker did all of it where some only prefill. @type {Readonly<Record<AggregatedReason, string>>} */
export const aggregatedWords = {
  no_prompt: "One worker does all of it: the request has no prompt.",
  asked_for: "One worker does all of it: the client named it.",
  no_prefill_worker: "",
  no_pair: "One worker does all of it: none of the allowed pairs was possible.",
  short_prefill: "One worker does all of it: little of the prompt was left to prefill.",
};

/** What the session had to do with it. @type {Readonly<Record<SessionOutcome, string>>} */
export const sessionWords = {
  new: "The request names a session that nothing was remembered of; from here on it belongs to this worker.",
  kept: "Affinity: it stayed on the worker that served its session's last request.",
  moved:
    "Affinity: it left the worker that served its session's last request, which was too dear or could not be picked.",
};

/** Why nobody was picked, by the code that the client got. @type {Readonly<Record<string, string>>} */
export const refusalWords = {
  no_endpoints: "No worker could be picked.",
  saturated: "All workers were too busy, and it could not wait.",
  queue_timeout: "All workers were too busy, for longer than it could wait.",
  evicted: "A more important request took its place in the queue.",
  unknown_model: "No model of this name is served.",
  not_ready: "The picker was not ready.",
  deadline_exceeded: "The pick took longer than it may.",
  shutting_down: "The picker was about to end.",
  invalid_request: "The request is not as its API wants it.",
  unprocessable: "The request cannot be placed as it is.",
  not_implemented: "The request asks for what is not served here.",
  body_too_large: "Its body is longer than the settings allow.",
  request_timeout: "It came too slowly.",
  unauthorized: "It has no key, or none that is known.",
  rate_limited: "Its key has sent more than it may.",
  not_found: "This path is not served.",
  worker_failed: "The worker that was picked failed, and no other one could take it.",
  worker_timeout: "The worker that was picked did not answer in time.",
  unknown_response: "No response of this id is known.",
  internal: "A fault of the picker's; its log has more.",
};

/** By which way a request came. @type {Readonly<Record<string, string>>} */
export const surfaceWords = {
  "ext-proc": "gateway (ext_proc)",
  proxy: "proxy",
  "route-api": "route API",
  decisions: "typed decisions",
  queue: "queue",
};

/**
 * Words for a code that a newer server may have added to.
 * @param {Readonly<Record<string, string>>} words
 * @param {string} code
 */
export function wordsFor(words, code) {
  return words[code] ?? code.replaceAll("_", " ");
}
