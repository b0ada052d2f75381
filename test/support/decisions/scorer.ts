import type { ServerResponse } from "node:http";
import { simLogprobs } from "../../../src/sim-worker/index.ts";
import { FakeWorker, type SeenRequest } from "../proxy/fake-worker.ts";

/** A scoring call as a worker got it. */
export interface SeenCall {
  readonly input_ids: readonly number[];
  readonly token_ids_logprob: readonly number[];
  readonly cache_salt: string;
  readonly extra_key?: string;
  readonly rid: string;
  readonly routed_dp_rank?: number;
}

/** A worker that scores, and shows what it was asked. */
export class Scorer {
  readonly worker: FakeWorker;

  private constructor(worker: FakeWorker) {
    this.worker = worker;
  }

  static async start(): Promise<Scorer> {
    return new Scorer(await FakeWorker.start(score));
  }

  get endpoint(): string {
    return this.worker.endpoint;
  }

  /** Calls of `/generate`, in order. */
  get calls(): readonly SeenCall[] {
    return this.bodies("/generate") as readonly SeenCall[];
  }

  /** Ids that it was told to stop. */
  get stopped(): readonly string[] {
    return this.bodies("/abort_request").map((body) => (body as { rid: string }).rid);
  }

  bodies(path: string): readonly unknown[] {
    return this.worker.seen.filter(({ target }) => target === path).map(bodyOf);
  }

  close(): Promise<void> {
    return this.worker.close();
  }
}

export function bodyOf({ body }: SeenRequest): unknown {
  return JSON.parse(body.toString("utf8"));
}

/** What may be different in an answer. */
export interface ScoreChanges {
  readonly logprobs?: readonly number[];
  readonly cachedTokens?: number | null;
  readonly meta?: object;
}

/** Answers a scoring call as SGLang does. */
export function score(response: ServerResponse, request: SeenRequest, changes: ScoreChanges = {}): void {
  const { token_ids_logprob: ids = [] } = bodyOf(request) as Partial<SeenCall>;
  const { logprobs = simLogprobs(ids), cachedTokens = 0, meta = {} } = changes;
  frames(response, {
    output_ids: [],
    meta_info: {
      finish_reason: { type: "length", length: 0 },
      completion_tokens: 0,
      ...(cachedTokens === null ? {} : { cached_tokens: cachedTokens }),
      output_token_ids_logprobs: [ids.map((id, at) => [logprobs[at], id, null])],
      ...meta,
    },
  });
}

/** Answers with a stream of these frames. */
export function frames(response: ServerResponse, ...each: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end([...each.map((frame) => `data: ${JSON.stringify(frame)}\n\n`), "data: [DONE]\n\n"].join(""));
}
