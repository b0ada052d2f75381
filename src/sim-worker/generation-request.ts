import { isRecord, type UnknownRecord } from "./unknown-record.ts";

/** The APIs that generate text. */
export type GenerationApi = "chat" | "completions" | "responses" | "messages";

/** What the worker takes from a request to generate. */
export interface GenerationRequest {
  readonly model: string;
  readonly stream: boolean;
  /** True when a chat or completions stream ends with a usage chunk. */
  readonly includeUsage: boolean;
  /** The client's limit of output tokens; undefined without one. */
  readonly outputLimit: number | undefined;
  /** `nvext.token_data`: the prompt's tokens, made elsewhere. */
  readonly tokenData: Uint32Array | undefined;
  /** Cache namespace: header `x-tenant-id`, else `nvext.cache_salt`, else `cache_salt`; "" = the common one. */
  readonly namespace: string;
}

const limitFields: Readonly<Record<GenerationApi, readonly string[]>> = {
  chat: ["max_completion_tokens", "max_tokens"],
  completions: ["max_tokens"],
  responses: ["max_output_tokens"],
  messages: ["max_tokens"],
};

/** Reads a body. Throws SyntaxError or TypeError, whose message a client may see. */
export function readGenerationRequest(
  api: GenerationApi,
  body: Buffer,
  tenantId: string | undefined,
): GenerationRequest {
  const request: unknown = JSON.parse(body.toString("utf8"));
  if (!isRecord(request)) throw new TypeError("the body must be a JSON object");
  const nvext = isRecord(request["nvext"]) ? request["nvext"] : {};
  const streamOptions = isRecord(request["stream_options"]) ? request["stream_options"] : {};
  return {
    model: requireModel(request),
    stream: request["stream"] === true,
    includeUsage: streamOptions["include_usage"] === true,
    outputLimit: outputLimit(api, request),
    tokenData: readTokenData(nvext["token_data"]),
    namespace: [tenantId?.trim(), nvext["cache_salt"], request["cache_salt"]].find(isText) ?? "",
  };
}

function requireModel(request: UnknownRecord): string {
  const model = request["model"];
  if (!isText(model)) throw new TypeError("model must be a string");
  return model;
}

function outputLimit(api: GenerationApi, request: UnknownRecord): number | undefined {
  for (const field of limitFields[api]) {
    const limit = request[field];
    if (limit === undefined || limit === null) continue;
    if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) {
      throw new TypeError(`${field} must be a whole number of at least 1`);
    }
    return limit;
  }
  return undefined;
}

function readTokenData(value: unknown): Uint32Array | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every(isTokenId)) {
    throw new TypeError("nvext.token_data must be an array of token ids");
  }
  return Uint32Array.from(value);
}

function isTokenId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
