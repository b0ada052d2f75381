/** Whose contract a request follows: OpenAI's `/v1/decisions`, or Jev's `/v1/systemone`. */
export type DecisionDialect = "openai" | "jev";

/** The error codes of both contracts. Stable: clients depend on them. */
export type DecisionErrorCode =
  | "invalid_json"
  | "invalid_request_error"
  | "unsupported_capability"
  | "invalid_executor_result"
  | "decision_refused"
  | "model_not_found"
  | "rate_limit_exceeded"
  | "request_cancelled"
  | "server_error";

/** Why a decision was not made. Stable: metrics show it. */
export type DecisionFault =
  | "media_type"
  | "body_too_large"
  | "body_timeout"
  | "body_unread"
  | "invalid_json"
  | "invalid_request"
  | "unsupported"
  | "unknown_model"
  | "not_scorable"
  | "capacity"
  | "unavailable"
  | "malformed_scores"
  | "invalid_result"
  | "refused"
  | "deadline"
  | "cancelled"
  | "internal";

interface FaultAnswer {
  readonly openai: number;
  readonly jev: number;
  readonly code: DecisionErrorCode;
}

/** Status by dialect, and code. Source: ai-dynamo/dynamo http/service/systemone/response.rs and dynamo-decisions 0.1.0. */
const answers: Readonly<Record<DecisionFault, FaultAnswer>> = {
  media_type: { openai: 415, jev: 415, code: "invalid_request_error" },
  body_too_large: { openai: 413, jev: 413, code: "invalid_request_error" },
  body_timeout: { openai: 408, jev: 408, code: "invalid_request_error" },
  body_unread: { openai: 400, jev: 400, code: "invalid_request_error" },
  invalid_json: { openai: 400, jev: 400, code: "invalid_json" },
  invalid_request: { openai: 400, jev: 422, code: "invalid_request_error" },
  unsupported: { openai: 400, jev: 422, code: "unsupported_capability" },
  unknown_model: { openai: 404, jev: 404, code: "model_not_found" },
  not_scorable: { openai: 400, jev: 400, code: "invalid_request_error" },
  capacity: { openai: 429, jev: 429, code: "rate_limit_exceeded" },
  unavailable: { openai: 503, jev: 503, code: "server_error" },
  malformed_scores: { openai: 500, jev: 500, code: "server_error" },
  invalid_result: { openai: 502, jev: 502, code: "invalid_executor_result" },
  refused: { openai: 422, jev: 422, code: "decision_refused" },
  deadline: { openai: 504, jev: 504, code: "server_error" },
  cancelled: { openai: 499, jev: 499, code: "request_cancelled" },
  internal: { openai: 500, jev: 500, code: "server_error" },
};

/** A decision that was not made. Its message is one of few texts, holds nothing of the request but a question's name, and reaches the client. */
export class DecisionError extends Error {
  override readonly name = "DecisionError";
  readonly fault: DecisionFault;

  constructor(fault: DecisionFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }

  get code(): DecisionErrorCode {
    return answers[this.fault].code;
  }

  /** HTTP status of the error in a contract. */
  statusIn(dialect: DecisionDialect): number {
    return answers[this.fault][dialect];
  }
}

/** Codes whose Jev errors are a list, as a validation's. */
const listedCodes: ReadonlySet<string> = new Set(["invalid_request_error", "unsupported_capability"]);

/** The body of an error as a contract writes it, JSON text. */
export function errorEnvelope(dialect: DecisionDialect, code: string, message: string): string {
  if (dialect === "openai") return JSON.stringify({ error: { message, type: code, param: null, code } });
  if (listedCodes.has(code)) return JSON.stringify({ detail: [{ loc: ["body"], msg: message, type: code }] });
  return JSON.stringify({ detail: message, code });
}
