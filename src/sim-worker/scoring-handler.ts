import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { resetConnection, sendError, sendJson } from "./answer-writer.ts";
import type { SimEngine } from "./engine.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { RequestRecord } from "./request-log.ts";
import { abortedFrame, type Scored, scoringFrames } from "./scoring-frames.ts";
import { readScoringRequest, type ScoringRequest } from "./scoring-request.ts";
import { isRecord } from "./unknown-record.ts";

/** A scoring call whose body has arrived. */
export interface ScoringCall {
  readonly body: Buffer;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** Answers SGLang's `/generate` as far as scoring goes, and `/abort_request`. */
export class ScoringHandler {
  readonly #engine: SimEngine;
  readonly #faults: FaultInjector;
  readonly #running = new Map<string, AbortController>();

  constructor(engine: SimEngine, faults: FaultInjector) {
    this.#engine = engine;
    this.#faults = faults;
  }

  /** Rejects only with the signal's reason, when the client left. */
  async generate(call: ScoringCall): Promise<void> {
    const { response, record, signal } = call;
    const failStatus = await this.#faults.beforeAnswer(signal);
    if (failStatus !== undefined) {
      record.outcome = "failed";
      sendError(response, failStatus, "this worker was told to fail");
      return;
    }
    const request = this.#read(call);
    if (request === undefined) return;
    record.promptTokens = request.promptIds.length;
    record.tokenSource = "token_data";
    await this.#run(call, request);
  }

  /** Stops the calls whose id begins with the given one, as SGLang does. */
  abort({ body, response, record }: ScoringCall): void {
    const request: unknown = JSON.parse(body.toString("utf8"));
    const prefix = isRecord(request) && typeof request["rid"] === "string" ? request["rid"] : "";
    for (const [id, controller] of this.#running) if (prefix !== "" && id.startsWith(prefix)) controller.abort();
    record.outcome = "completed";
    sendJson(response, 200, {});
  }

  #read({ body, response, record }: ScoringCall): ScoringRequest | undefined {
    try {
      return readScoringRequest(body);
    } catch (error) {
      record.outcome = "refused";
      sendError(response, 400, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  async #run(call: ScoringCall, request: ScoringRequest): Promise<void> {
    const { response, record, signal } = call;
    const requestId = request.requestId ?? randomUUID().replaceAll("-", "");
    const told = new AbortController();
    this.#running.set(requestId, told);
    try {
      const cachedTokens = await this.#cachedTokens(request, AbortSignal.any([signal, told.signal]));
      record.cachedTokens = cachedTokens;
      const scored = scoredOf(request, requestId, cachedTokens);
      this.#answer(call, scoringFrames(scored, this.#faults.settings.scoringFault));
    } catch (error) {
      if (!told.signal.aborted || signal.aborted) throw error;
      record.outcome = "aborted";
      sendFrames(response, [abortedFrame(scoredOf(request, requestId, 0))]);
    } finally {
      this.#running.delete(requestId);
    }
  }

  async #cachedTokens({ promptIds, namespace }: ScoringRequest, signal: AbortSignal): Promise<number> {
    const prompt = { tokenIds: promptIds, outputTokens: 0, namespace, everyToken: false };
    let cachedTokens = 0;
    for await (const step of this.#engine.generate(prompt, signal)) cachedTokens = step.cachedTokens;
    return cachedTokens;
  }

  #answer({ response, record }: ScoringCall, frames: readonly object[]): void {
    if (this.#faults.cutsAnswer()) {
      record.outcome = "reset";
      resetConnection(response);
      return;
    }
    record.outcome = "completed";
    sendFrames(response, frames);
  }
}

function scoredOf({ labelIds, promptIds, dpRank }: ScoringRequest, requestId: string, cachedTokens: number): Scored {
  return { requestId, labelIds, promptTokens: promptIds.length, cachedTokens, dpRank: dpRank ?? 0 };
}

function sendFrames(response: ServerResponse, frames: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.end([...frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`), "data: [DONE]\n\n"].join(""));
}
