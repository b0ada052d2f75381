import type { Struct } from "./processing-messages.ts";

/** What the gateway tells of its tries to reach a worker. */
export interface UpstreamOutcome {
  /** The response is the worker's own. */
  readonly isWorkersAnswer: boolean;
  /** The response is the gateway's own, because the last endpoint that it tried could not be connected to. */
  readonly couldNotConnect: boolean;
  /** Endpoints tried, counting repetitions; at least 1. */
  readonly attempts: number;
}

/** Attributes that tell it, as the filter's `response_attributes` have to list them. */
const DETAILS = "response.code_details";
const ATTEMPTS = "upstream.request_attempt_count";

/** Envoy's words for a connection that was never there; one that broke under a request may have reached its worker. */
const connectFailure = /^upstream_reset_before_response_started\{(?:(?:local|remote)_)?connection_(?:failure|timeout)/;

/**
 * @param attributes of the message with the response's headers, by the filter's name
 * @returns undefined where the gateway is not asked for them
 */
export function upstreamOutcome(attributes: Readonly<Record<string, Struct>> | undefined): UpstreamOutcome | undefined {
  for (const { fields } of Object.values(attributes ?? {})) {
    const details = fields?.[DETAILS]?.stringValue;
    if (details === undefined) continue;
    return {
      isWorkersAnswer: details === "via_upstream",
      couldNotConnect: connectFailure.test(details),
      attempts: Math.max(1, fields?.[ATTEMPTS]?.numberValue ?? 1),
    };
  }
  return undefined;
}
