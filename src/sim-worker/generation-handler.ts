import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnswerChoice, AnswerFormat, AnswerHead, AnswerUsage, FinishReason } from "./answer.ts";
import { resetConnection, sendError, sendJson, writePart } from "./answer-writer.ts";
import { chatFormat } from "./chat-format.ts";
import { completionsFormat } from "./completions-format.ts";
import type { SimEngine } from "./engine.ts";
import type { FaultInjector } from "./fault-injector.ts";
import { type GenerationApi, type GenerationRequest, readGenerationRequest } from "./generation-request.ts";
import { messagesFormat } from "./messages-format.ts";
import type { ResolvedSimWorkerOptions, TokenizePrompt } from "./options.ts";
import { OutputText } from "./output-text.ts";
import { PairError, type Pairing, type PairTurn } from "./pairing/pairing.ts";
import type { RequestRecord } from "./request-log.ts";
import { responsesFormat } from "./responses-format.ts";

const formats: Readonly<Record<GenerationApi, AnswerFormat>> = {
  chat: chatFormat,
  completions: completionsFormat,
  responses: responsesFormat,
  messages: messagesFormat,
};

/** A request to generate whose body has arrived. */
export interface GenerationCall {
  readonly api: GenerationApi;
  readonly path: string;
  readonly body: Buffer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

interface Prompt {
  readonly tokenIds: Uint32Array;
  readonly outputTokens: number;
  readonly finishReason: FinishReason;
}

interface PreparedCall extends GenerationCall {
  readonly generation: GenerationRequest;
  readonly prompts: readonly Prompt[];
  readonly head: AnswerHead;
  readonly turn: PairTurn;
}

/** Answers the generating endpoints; prompts of one request run one after another. */
export class GenerationHandler {
  readonly #engine: SimEngine;
  readonly #options: ResolvedSimWorkerOptions;
  readonly #tokenize: TokenizePrompt;
  readonly #faults: FaultInjector;
  readonly #pairing: Pairing;

  constructor(
    engine: SimEngine,
    options: ResolvedSimWorkerOptions,
    tokenize: TokenizePrompt,
    faults: FaultInjector,
    pairing: Pairing,
  ) {
    this.#engine = engine;
    this.#options = options;
    this.#tokenize = tokenize;
    this.#faults = faults;
    this.#pairing = pairing;
  }

  /** Answers one request. Rejects only with the signal's reason, when the client left. */
  async handle(call: GenerationCall): Promise<void> {
    const { record, response, signal } = call;
    const failStatus = await this.#faults.beforeAnswer(signal);
    if (failStatus !== undefined) {
      record.outcome = "failed";
      sendError(response, failStatus, "this worker was told to fail");
      return;
    }
    const prepared = await this.#prepare(call);
    if (prepared === undefined) return;
    try {
      if (this.#faults.cutsAnswer()) return await this.#cut(prepared);
      await (prepared.generation.stream ? this.#stream(prepared) : this.#answerWhole(prepared));
      record.outcome = "completed";
    } finally {
      prepared.turn.failed();
    }
  }

  /** Tokens of a request's prompt. Throws, or rejects, for a body without one. */
  async countTokens(path: string, body: Buffer): Promise<number> {
    const made = await this.#tokenize(path, body);
    return made instanceof Uint32Array ? made.length : made.reduce((sum, list) => sum + list.length, 0);
  }

  async #prepare(call: GenerationCall): Promise<PreparedCall | undefined> {
    try {
      const tenant = call.request.headersDistinct["x-tenant-id"]?.at(-1);
      const generation = readGenerationRequest(call.api, call.body, tenant);
      const made = await this.#prompts(call, generation);
      const turn = await this.#pairing.begin(call.api, call.body, call.signal);
      const prompts = turn.isPrefill ? made.map((prompt) => ({ ...prompt, outputTokens: 1 })) : made;
      const id = randomUUID().replaceAll("-", "");
      const createdAt = Math.floor(Date.now() / 1000);
      const head = { id, createdAt, model: generation.model, includeUsage: generation.includeUsage };
      return { ...call, generation, prompts, head, turn };
    } catch (error) {
      call.signal.throwIfAborted();
      call.record.outcome = "refused";
      sendError(
        call.response,
        error instanceof PairError ? 500 : 400,
        error instanceof Error ? error.message : String(error),
      );
      return undefined;
    }
  }

  async #prompts(call: GenerationCall, generation: GenerationRequest): Promise<readonly Prompt[]> {
    const { outputLimit, tokenData } = generation;
    const made = tokenData ?? (await this.#tokenize(call.path, call.body));
    const lists = made instanceof Uint32Array ? [made] : made;
    call.record.tokenSource = tokenData === undefined ? "tokenizer" : "token_data";
    call.record.promptTokens = lists.reduce((sum, list) => sum + list.length, 0);
    const { defaultOutputTokens, maxOutputTokens } = this.#options;
    const outputTokens = Math.min(outputLimit ?? defaultOutputTokens, maxOutputTokens);
    const finishReason = outputTokens === outputLimit ? "length" : "stop";
    return lists.map((tokenIds) => ({ tokenIds, outputTokens, finishReason }));
  }

  async #answerWhole(call: PreparedCall): Promise<void> {
    const choices: AnswerChoice[] = [];
    for (const [index, prompt] of call.prompts.entries()) {
      choices.push(await this.#generate(call, index, prompt, () => Promise.resolve()));
    }
    call.record.status = 200;
    call.turn.prefilled();
    const answer = formats[call.api].json(call.head, choices, usageOf(call.record));
    sendJson(call.response, 200, { ...answer, ...call.turn.extra });
  }

  async #stream(call: PreparedCall): Promise<void> {
    const { response, signal } = call;
    const stream = formats[call.api].stream(call.head);
    startStream(call);
    for (const [index, prompt] of call.prompts.entries()) {
      let opening = index === 0 ? stream.start() : "";
      const choice = await this.#generate(call, index, prompt, async (texts) => {
        const events = opening + texts.map((text) => stream.delta(index, text)).join("");
        opening = "";
        await writePart(response, events, signal);
      });
      await writePart(response, opening + stream.endChoice(index, choice), signal);
    }
    call.turn.prefilled();
    response.end(stream.finish(usageOf(call.record)));
  }

  /** Runs one sequence; `onTokens` gets the texts of the new tokens as they come, when the answer is streamed. */
  async #generate(
    call: PreparedCall,
    index: number,
    prompt: Prompt,
    onTokens: (texts: readonly string[]) => Promise<void>,
  ): Promise<AnswerChoice> {
    const { namespace, stream } = call.generation;
    const output = new OutputText(prompt.tokenIds);
    let generated = 0;
    for await (const step of this.#engine.generate({ ...prompt, namespace, everyToken: stream }, call.signal)) {
      if (generated === 0)
        call.record.cachedTokens = (index === 0 ? 0 : (call.record.cachedTokens ?? 0)) + step.cachedTokens;
      const texts: string[] = [];
      for (; generated < step.generatedTokens; generated += 1) texts.push(output.slice(generated, generated + 1));
      call.record.outputTokens += texts.length;
      await onTokens(texts);
    }
    return { text: output.slice(0, generated), finishReason: prompt.finishReason };
  }

  /** Sends the first half of the answer and resets the connection. */
  async #cut(call: PreparedCall): Promise<void> {
    const first = call.prompts[0];
    const stream = formats[call.api].stream(call.head);
    startStream(call);
    if (first !== undefined) {
      const half = { ...first, outputTokens: Math.max(1, first.outputTokens >> 1) };
      let opening = stream.start();
      await this.#generate(call, 0, half, async (texts) => {
        await writePart(call.response, opening + texts.map((text) => stream.delta(0, text)).join(""), call.signal);
        opening = "";
      });
    }
    call.record.outcome = "reset";
    resetConnection(call.response);
  }
}

function startStream(call: PreparedCall): void {
  const type = call.generation.stream ? "text/event-stream; charset=utf-8" : "application/json";
  call.record.status = 200;
  call.response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  call.response.flushHeaders();
}

function usageOf(record: RequestRecord): AnswerUsage {
  return {
    promptTokens: record.promptTokens ?? 0,
    cachedTokens: record.cachedTokens ?? 0,
    outputTokens: record.outputTokens,
  };
}
