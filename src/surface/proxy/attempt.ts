import type { AnswerReceiver, DispatchError, WorkerExchange } from "../../dispatch/index.ts";
import {
  type AnswerHead,
  type ApiError,
  type ClientAnswer,
  type Clock,
  ModelRestorer,
  type StreamFormat,
} from "../../http/index.ts";
import type { RouteDecision } from "../../router/index.ts";
import { AnswerWatch } from "./answer-watch.ts";
import type { ReceivedRequest } from "./call-context.ts";
import { answerHead, withoutLength } from "./client-headers.ts";
import { EventStream } from "./event-stream.ts";
import { PlainBody } from "./plain-body.ts";

/** An answer whose client has got nothing of it yet. */
export interface HeldAnswer {
  readonly head: AnswerHead;
  readonly body: Buffer;
}

/** What an answer comes by. */
export interface AnsweredExchange extends WorkerExchange {
  /** Told with what comes after the first content as well; absent = that does not matter. */
  contentBegan?(): void;
}

/** What becomes of an attempt. After one of these the attempt is over. */
export interface AttemptOutcomes {
  /** The worker failed, and the client has got nothing. */
  failed(error: DispatchError): void;
  /** The worker answered that it cannot; the client has got nothing. */
  serverError(answer: HeldAnswer): void;
  /** The answer has gone to the client as a whole. */
  answered(watch: AnswerWatch): void;
  /** The answer broke off; the client has been told as well as can be. */
  cut(error: DispatchError): void;
}

export interface AttemptContext {
  readonly client: ClientAnswer;
  readonly clock: Clock;
  /** Of the API; undefined = its streams are not known. */
  readonly format: StreamFormat | undefined;
  /** Answers that are no streams are held up to here, in bytes. */
  readonly maxHeldAnswerBytes: number;
  /** Silence of a stream after which its client is sent a comment, ms; 0 = never. */
  readonly streamCommentMs: number;
  /** Longest object with token counts that is read, in bytes. */
  readonly maxUsageBytes: number;
  /** The names of the model, when the worker was asked by another one than the client's. */
  readonly rewrite: ReceivedRequest["rewrite"];
  /** Told when the client's answer begins. */
  readonly began: (head: AnswerHead) => void;
  /** Told when the request is on its way, on a connection. */
  readonly sent: () => void;
  /** Told when generated content comes for the first time. */
  readonly contentBegan: () => void;
}

/** The part of an answer that follows its head. */
export interface AnswerBody {
  data(chunk: Buffer): void;
  /** The worker has sent everything. */
  end(): void;
  /** The worker has broken off. */
  broken(error: DispatchError): void;
  /** The client has left. */
  close(): void;
  /** What can still be said to a client that has got a part: an event that tells of the error; undefined = nothing that it would understand. */
  lastWords(error: ApiError): string | undefined;
}

/** Statuses by which a worker says that it, and not the request, is at fault. */
const serverErrors: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** One request at one worker, from its dispatch to the end of the answer. */
export class Attempt implements AnswerReceiver {
  readonly #decision: RouteDecision;
  readonly #context: AttemptContext;
  readonly #outcomes: AttemptOutcomes;
  #exchange: AnsweredExchange | undefined;
  #watch: AnswerWatch | undefined;
  #body: AnswerBody | undefined;
  /** Gives the answer the client's name of the model; undefined = it has it. */
  #restorer: ModelRestorer | undefined;

  constructor(decision: RouteDecision, context: AttemptContext, outcomes: AttemptOutcomes) {
    this.#decision = decision;
    this.#context = context;
    this.#outcomes = outcomes;
  }

  /** @param exchange what the answer comes by */
  run(exchange: AnsweredExchange): void {
    this.#exchange = exchange;
  }

  /** The client has left. */
  cancel(): void {
    this.#exchange?.cancel();
    this.#body?.close();
  }

  /** As of `AnswerBody`; undefined also before there is an answer. */
  lastWords(error: ApiError): string | undefined {
    return this.#body?.lastWords(error);
  }

  drained(): void {
    this.#exchange?.resume();
  }

  sent(): void {
    this.#context.sent();
  }

  head(status: number, reason: string, rawHeaders: readonly string[]): void {
    const head = answerHead(status, reason, rawHeaders, this.#decision.endpoint);
    const isStream = head.mediaType === "text/event-stream" && status < 300;
    const { format, maxUsageBytes } = this.#context;
    this.#restorer = restorerOf(head, this.#context.rewrite);
    this.#watch = new AnswerWatch(this.#decision, head, { format, isStream, maxUsageBytes });
    this.#body = isStream && format !== undefined ? this.#eventStream(head, format) : this.#plainBody(head, isStream);
  }

  data(chunk: Buffer): void {
    const hadContent = this.#watch?.hasContent;
    this.#watch?.data(chunk);
    if (this.#watch?.hasContent === true) this.#exchange?.contentBegan?.();
    if (hadContent === false && this.#watch?.hasContent === true) this.#context.contentBegan();
    this.#pass(this.#restorer?.take(chunk) ?? chunk);
  }

  end(): void {
    if (this.#restorer !== undefined) this.#pass(this.#restorer.rest());
    this.#body?.end();
  }

  failed(error: DispatchError): void {
    if (this.#body === undefined) this.#outcomes.failed(error);
    else this.#body.broken(error);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#body?.data(bytes);
  }

  #eventStream(head: AnswerHead, format: StreamFormat): AnswerBody {
    // An event of ours may follow.
    this.#begin(withoutLength(head));
    const { client, clock, streamCommentMs } = this.#context;
    return new EventStream({ format, isEncoded: head.isEncoded, commentMs: streamCommentMs }, clock, {
      write: (bytes) => this.#write(bytes),
      finish: () => this.#finish(),
      // What the client has got is complete but for the error event.
      fail: (event, error) => {
        client.write(event);
        client.end();
        this.#outcomes.cut(error);
      },
      cut: (error) => this.#cut(error),
    });
  }

  #plainBody(head: AnswerHead, isStream: boolean): AnswerBody {
    const isComplete = head.status >= 400 || head.contentLength !== undefined || head.mediaType.endsWith("json");
    const isHeld = !isStream && isComplete;
    const changed = this.#restorer === undefined ? head : withoutLength(head);
    return new PlainBody(isHeld ? this.#context.maxHeldAnswerBytes : -1, {
      begin: () => this.#begin(changed),
      write: (bytes) => this.#write(bytes),
      finish: () => this.#finish(),
      whole: (body) => this.#whole({ head: changed, body }),
      fail: (error) => this.#outcomes.failed(error),
      cut: (error) => this.#cut(error),
    });
  }

  #begin(head: AnswerHead): void {
    this.#context.began(head);
    this.#context.client.begin(head);
  }

  #write(bytes: Buffer): void {
    if (!this.#context.client.write(bytes)) this.#exchange?.pause();
  }

  #finish(): void {
    this.#context.client.end();
    if (this.#watch !== undefined) this.#outcomes.answered(this.#watch);
  }

  #whole(answer: HeldAnswer): void {
    if (serverErrors.has(answer.head.status)) {
      this.#outcomes.serverError(answer);
      return;
    }
    this.#context.began(answer.head);
    this.#context.client.whole(answer.head, answer.body);
    if (this.#watch !== undefined) this.#outcomes.answered(this.#watch);
  }

  #cut(error: DispatchError): void {
    this.#context.client.cut();
    this.#outcomes.cut(error);
  }
}

/** Bodies that are encoded, or no text, go as they come. */
function restorerOf(head: AnswerHead, rewrite: ReceivedRequest["rewrite"]): ModelRestorer | undefined {
  if (rewrite?.requested === undefined || head.isEncoded) return undefined;
  const isText = head.mediaType.endsWith("json") || head.mediaType === "text/event-stream";
  return isText ? new ModelRestorer(rewrite.target, rewrite.requested) : undefined;
}
