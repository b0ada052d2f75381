import { httpStatusByCode, RoutingError } from "../errors/index.ts";
import { applyEdit, JsonObject, parseJson, setMember } from "../json/index.ts";
import type { PreparedRequest, RouteRequest } from "../router/index.ts";

/** What became of one case. */
export interface CaseAnswer {
  readonly name: string;
  readonly status: number;
  readonly api: string | null;
  /** Null when they are not known; a list of lists for a batch of prompts. */
  readonly token_ids: readonly number[] | readonly (readonly number[])[] | null;
  /** Whether `nvext.token_data` is injected. */
  readonly injected: boolean;
  readonly error: { readonly code: string; readonly field: string | null; readonly message: string } | null;
}

/** @param line a JSON object: `name`, `path`, and `body` (a value) or `raw` (the exact text) */
export async function answerCase(
  line: string,
  model: string,
  prepare: (request: RouteRequest) => PreparedRequest | Promise<PreparedRequest>,
): Promise<CaseAnswer> {
  const { name, request } = readCase(Buffer.from(line), model);
  try {
    const prepared = await prepare(request);
    refusePinned(prepared);
    return { name, ...describe(prepared) };
  } catch (error) {
    if (!(error instanceof RoutingError)) throw error;
    const { code, field = null, message } = error;
    return { name, status: httpStatusByCode[code], api: null, ...nothing, error: { code, field, message } };
  }
}

/** Here are no workers that could be named; a backend says as much. */
function refusePinned({ demands }: PreparedRequest): void {
  if (demands.constraints.pinned === undefined) return;
  throw new RoutingError("`nvext` names a worker that is not there", { code: "invalid_request", field: "nvext" });
}

/** The answer to a line that is no case. */
export function badCase(message: string): CaseAnswer {
  return { name: "", status: 400, api: null, ...nothing, error: { code: "bad_case", field: null, message } };
}

const nothing = { token_ids: null, injected: false } as const;

function describe(prepared: PreparedRequest): Omit<CaseAnswer, "name"> {
  const { api, prompt, bodyEdit } = prepared;
  const answer = { status: 200, api, injected: bodyEdit !== undefined, error: null };
  if (prompt?.batch !== undefined) return { ...answer, token_ids: prompt.batch.map((ids) => [...ids]) };
  const isKnown = prompt !== undefined && prompt.inexactReason === undefined;
  return { ...answer, token_ids: isKnown ? [...prompt.tokenIds] : null };
}

function readCase(line: Buffer, model: string): { name: string; request: RouteRequest } {
  const root = parseJson(line);
  if (!(root instanceof JsonObject)) throw new Error("a case is a JSON object a line");
  const text = (key: string) => {
    const value = root.get(key);
    return typeof value === "string" ? value : undefined;
  };
  const raw = text("raw");
  if (raw === undefined && text("path") === undefined) throw new Error("a case has `path`, and `body` or `raw`");
  const headers = { get: () => undefined, getAll: () => [] };
  return {
    name: text("name") ?? "",
    request: {
      path: text("path"),
      headers,
      body: raw === undefined ? bodyOf(line, root, model) : Buffer.from(raw),
      subset: undefined,
      requestedEndpoints: undefined,
      // As a backend sees it: what a gateway takes from clients is another matter.
      trustClient: true,
    },
  };
}

/** The bytes of `body` as they stand in the line, with the model filled in when it names none. */
function bodyOf(line: Buffer, root: JsonObject, model: string): Buffer {
  const span = root.valueSpan("body");
  if (span === undefined) return Buffer.alloc(0);
  const body = Buffer.from(line.subarray(span.start, span.end));
  const value = parseJson(body);
  if (!(value instanceof JsonObject) || value.has("model")) return body;
  return applyEdit(body, setMember(body, value, "model", Buffer.from(JSON.stringify(model))));
}
