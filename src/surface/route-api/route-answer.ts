import type { JsonSchema } from "../../http/index.ts";
import { inTurns } from "../../http/index.ts";
import type { RouteTarget, WorkerDirectory, WorkerRank } from "../../router/index.ts";
import { explanationParts } from "./explanation-text.ts";
import { TextCache } from "./json-text.ts";

export interface RouteAnswerParts {
  readonly model: string | undefined;
  readonly group: string;
  readonly tokenIds: Uint32Array | undefined;
  readonly returnsTokenIds: boolean;
  readonly lease?: { readonly id: string; readonly leaseMs: number };
}

/** Writes the answers of `/route` and `/route_and_reserve`. */
export class RouteWriter {
  readonly #workers: WorkerDirectory;
  readonly #texts = new TextCache();

  constructor(workers: WorkerDirectory) {
    this.#workers = workers;
  }

  route(target: RouteTarget, parts: RouteAnswerParts): string {
    const { answering, prefill, subject } = target.selection;
    const members = [
      `"model_name":${parts.model === undefined ? "null" : this.#texts.of(parts.model)}`,
      `"routing_group":${this.#texts.of(parts.group)}`,
      `"api":"${target.api}"`,
      this.#place(answering.rank),
      `"headers":${JSON.stringify(Object.fromEntries(target.headers))}`,
    ];
    if (prefill !== undefined) members.push(`"prefill":{${this.#place(prefill.rank)}}`);
    if (target.fallbacks.length > 0) members.push(`"fallbacks":${JSON.stringify(target.fallbacks)}`);
    if (target.inputTokens !== undefined) {
      members.push(`"input_tokens":${target.inputTokens}`, `"cached_tokens":${target.predictedCachedTokens ?? 0}`);
    }
    if (subject.loadOnlyReason !== undefined)
      members.push(`"load_only_reason":${JSON.stringify(subject.loadOnlyReason)}`);
    if (parts.lease !== undefined) {
      const { id, leaseMs } = parts.lease;
      members.push(`"reservation":{"reservation_id":${JSON.stringify(id)},"lease_ms":${leaseMs}}`);
    }
    if (parts.returnsTokenIds && parts.tokenIds !== undefined)
      members.push(`"token_ids":[${parts.tokenIds.join(",")}]`);
    return `{${members.join(",")}}`;
  }

  /** The same with the reasons, as the workers are at this moment. */
  explained(target: RouteTarget, parts: RouteAnswerParts): AsyncIterable<string> {
    const text = this.route(target, parts);
    const explanation = target.explain();
    return inTurns(withExplanation(text, explanation));
  }

  #place({ worker, dpRank }: WorkerRank): string {
    const endpoint = this.#texts.of(this.#workers.endpointOf(worker));
    return `"worker_id":${worker.id},"dp_rank":${dpRank},"endpoint":${endpoint}`;
  }
}

function* withExplanation(text: string, explanation: ReturnType<RouteTarget["explain"]>): Generator<string> {
  yield `${text.slice(0, -1)},"explanation":`;
  yield* explanationParts(explanation);
  yield "}";
}

const place: Readonly<Record<string, JsonSchema>> = {
  worker_id: { type: "integer", format: "uint64" },
  dp_rank: { type: "integer" },
  endpoint: { type: "string" },
};

/** The schema of a route. @param isBooked with the reservation */
export function routeSchema(isBooked: boolean): JsonSchema {
  return {
    type: "object",
    required: ["model_name", "routing_group", "api", "worker_id", "dp_rank", "endpoint", "headers"],
    properties: {
      model_name: { anyOf: [{ type: "string" }, { type: "null" }] },
      routing_group: { type: "string" },
      api: { type: "string", description: "What the request speaks; `given` for token ids and hashes." },
      ...place,
      headers: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Headers to set on the request on its way to the worker.",
      },
      prefill: { type: "object", properties: place, description: "Another worker that prefills the prompt first." },
      fallbacks: { type: "array", items: { type: "string" }, description: "Endpoints for a retry, best first." },
      input_tokens: { type: "integer", description: "Prompt length; absent when the tokens are not known." },
      cached_tokens: { type: "integer", description: "Prompt tokens that the worker is believed to hold." },
      load_only_reason: { type: "string", description: "Why caches did not take part in the choice." },
      ...(isBooked
        ? {
            reservation: {
              type: "object",
              required: ["reservation_id", "lease_ms"],
              properties: {
                reservation_id: { type: "string" },
                lease_ms: { type: "integer", description: "It ends when no call names its id for this long." },
              },
            },
          }
        : {}),
      token_ids: { type: "array", items: { type: "integer" }, description: "With `return_token_ids`." },
      explanation: { type: "object", description: "With `explain`: every worker with its load, overlap and cost." },
    },
  };
}
