/** One question as it is put to SGLang's `/generate`. */
export interface ScoringCall {
  readonly promptIds: Uint32Array;
  /** Tokens whose log-probabilities are asked for, in the candidates' order. */
  readonly labelIds: readonly number[];
  /** Keeps the request's blocks apart in the worker's cache. */
  readonly cacheSalt: string;
  /** Id by which the worker can be told to stop; absent = it makes one. */
  readonly requestId?: string | undefined;
  /** The rank of a worker that has several; undefined = it has one. */
  readonly dpRank?: number | undefined;
  /** The worker knows only the older name of the salt (SGLang before #30827 ignores `cache_salt` without a word). Default false. */
  readonly isSaltedByExtraKey?: boolean | undefined;
}

/** Nothing is generated, and nothing changes the probabilities. */
const samplingParams = {
  max_new_tokens: 0,
  temperature: 1.0,
  top_p: 1.0,
  top_k: -1,
  min_p: 0.0,
  frequency_penalty: 0.0,
  presence_penalty: 0.0,
  repetition_penalty: 1.0,
  n: 1,
};

/** The body of a scoring call, JSON text. @throws RangeError for a call that makes no sense */
export function generateBody(call: ScoringCall): string {
  const { promptIds, labelIds, cacheSalt, requestId, dpRank, isSaltedByExtraKey = false } = call;
  checkCall(call);
  return JSON.stringify({
    input_ids: Array.from(promptIds),
    sampling_params: samplingParams,
    return_logprob: true,
    return_text_in_logprobs: false,
    token_ids_logprob: labelIds,
    cache_salt: cacheSalt,
    stream: true,
    ...(requestId === undefined ? {} : { rid: requestId }),
    ...(dpRank === undefined ? {} : { routed_dp_rank: dpRank }),
    ...(isSaltedByExtraKey ? { extra_key: cacheSalt } : {}),
  });
}

function checkCall({ promptIds, labelIds, cacheSalt }: ScoringCall): void {
  if (promptIds.length === 0) throw new RangeError("prompt token IDs cannot be empty");
  if (labelIds.length === 0) throw new RangeError("label token IDs cannot be empty");
  if (new Set(labelIds).size < labelIds.length) throw new RangeError("label token IDs must be unique");
  if (cacheSalt === "") throw new RangeError("cache salt cannot be empty");
}
