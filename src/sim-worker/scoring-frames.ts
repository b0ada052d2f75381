/** What a simulated scorer can do wrong; `none` of it by default. */
export const scoringFaults = [
  "none",
  /** It generates a token. */
  "generates",
  /** A label is missing. */
  "short",
  /** The labels come in another order. */
  "reordered",
  /** Two frames say that they are the last. */
  "two-ends",
  /** No frame says it. */
  "no-end",
  /** It does not tell what came from its cache. */
  "unmeasured",
  /** It says that more came from its cache than there was. */
  "overcounted",
  /** It gives up. */
  "abort",
  /** Its queue is full. */
  "overload",
  /** It was another rank that answered. */
  "other-rank",
] as const;

export type ScoringFault = (typeof scoringFaults)[number];

/** Probability that the labels have together. */
const labelMass = 0.9;

/** Log-probabilities that the scorer gives to labels, by their token ids alone: the same ones for every prompt. */
export function simLogprobs(labelIds: readonly number[]): readonly number[] {
  const weights = labelIds.map((id) => 0.05 + (Math.imul(id + 1, 0x9e3779b1) >>> 0) / 2 ** 32);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.log((labelMass * weight) / total));
}

/** What was scored. */
export interface Scored {
  readonly requestId: string;
  readonly labelIds: readonly number[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly dpRank: number;
}

/** The frames of an answer, as SGLang writes them or with a fault. */
export function scoringFrames(scored: Scored, fault: ScoringFault): readonly object[] {
  const open = frame(scored, fault, null);
  const finish = finishOf(fault);
  const last = frame(scored, fault, finish);
  if (fault === "no-end") return [open];
  return fault === "two-ends" ? [last, last] : [last];
}

/** The last frame of a request that was told to stop. */
export function abortedFrame(scored: Scored): object {
  return frame(scored, "none", { type: "abort", message: "Abort in waiting queue", status_code: null });
}

function finishOf(fault: ScoringFault): object {
  if (fault === "abort") return { type: "abort", message: "Abort before prefill", status_code: 500 };
  if (fault === "overload") return { type: "abort", message: "The request queue is full.", status_code: 503 };
  return { type: "length", length: 0 };
}

function frame(scored: Scored, fault: ScoringFault, finishReason: object | null): object {
  const { requestId, promptTokens, cachedTokens, dpRank } = scored;
  return {
    text: "",
    output_ids: fault === "generates" ? [1] : [],
    meta_info: {
      id: requestId,
      finish_reason: finishReason,
      prompt_tokens: promptTokens,
      completion_tokens: fault === "generates" ? 1 : 0,
      ...(fault === "unmeasured" ? {} : { cached_tokens: fault === "overcounted" ? promptTokens + 1 : cachedTokens }),
      dp_rank: fault === "other-rank" ? dpRank + 1 : dpRank,
      output_token_ids_logprobs: [row(scored, fault)],
    },
  };
}

function row({ labelIds }: Scored, fault: ScoringFault): readonly (readonly [number, number, null])[] {
  const logprobs = simLogprobs(labelIds);
  const entries = labelIds.map((id, at) => [logprobs[at] as number, id, null] as const);
  if (fault === "short") return entries.slice(1);
  return fault === "reordered" ? entries.toReversed() : entries;
}
