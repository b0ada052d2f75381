import { isRecord, type UnknownRecord } from "./unknown-record.ts";

/** What a scoring call of SGLang's `/generate` asks. */
export interface ScoringRequest {
  readonly promptIds: Uint32Array;
  /** Tokens whose log-probabilities are wanted. */
  readonly labelIds: readonly number[];
  /** Cache namespace; "" = the common one. */
  readonly namespace: string;
  readonly requestId: string | undefined;
  readonly dpRank: number | undefined;
}

/** Reads a body. Throws SyntaxError or TypeError, whose message a client may see. */
export function readScoringRequest(body: Buffer): ScoringRequest {
  const request: unknown = JSON.parse(body.toString("utf8"));
  if (!isRecord(request)) throw new TypeError("the body must be a JSON object");
  requireScoring(request);
  const rank = request["routed_dp_rank"];
  return {
    promptIds: Uint32Array.from(tokenIds(request, "input_ids")),
    labelIds: tokenIds(request, "token_ids_logprob"),
    namespace: [request["cache_salt"], request["extra_key"]].find(isText) ?? "",
    requestId: isText(request["rid"]) ? request["rid"] : undefined,
    dpRank: typeof rank === "number" ? rank : undefined,
  };
}

/** The one way of generating that is simulated: none. */
function requireScoring(request: UnknownRecord): void {
  const sampling = request["sampling_params"];
  const isScoring = isRecord(sampling) && sampling["max_new_tokens"] === 0 && request["return_logprob"] === true;
  if (!isScoring) throw new TypeError("only scoring is simulated: max_new_tokens 0 with return_logprob");
  if (request["stream"] !== true) throw new TypeError("only streams are simulated");
}

function tokenIds(request: UnknownRecord, name: string): readonly number[] {
  const value = request[name];
  const isList = Array.isArray(value) && value.length > 0;
  if (!isList || !value.every((id) => Number.isInteger(id) && id >= 0 && id <= 0xffff_ffff)) {
    throw new TypeError(`${name} must be a list of token ids`);
  }
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
