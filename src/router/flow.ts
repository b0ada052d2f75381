import { ownStart } from "../json/index.ts";
import type { RequestHeaders } from "./route-request.ts";

/** A request's place among those that wait. */
export interface RequestFlow {
  /** Higher goes first; below 0 = it does not wait. */
  readonly priority: number;
  /** Who takes turns with whom. */
  readonly fairnessId: string;
}

/** A longer id is cut off: a client chooses it. */
const maxIdLength = 128;

/** Requests that name no flow share this one. Source: llm-d-router flow control. */
const defaultFairnessId = "default-flow";

/**
 * What the gateway's headers say; llm-d's name wins over the older one.
 * @param priorities by objective; an objective that is not there, or none, is 0
 */
export function flowOf(headers: RequestHeaders, priorities: Pick<ReadonlyMap<string, number>, "get">): RequestFlow {
  const objective = valueOfEither(headers, "inference-objective");
  const fairnessId = valueOfEither(headers, "inference-fairness-id");
  return {
    priority: (objective === undefined ? undefined : priorities.get(objective)) ?? 0,
    fairnessId: fairnessId === undefined ? defaultFairnessId : ownStart(fairnessId, maxIdLength),
  };
}

function valueOfEither(headers: RequestHeaders, name: string): string | undefined {
  return trimmed(headers.get(`x-llm-d-${name}`)) ?? trimmed(headers.get(`x-gateway-${name}`));
}

function trimmed(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === "" ? undefined : text;
}
