import type { DispatchError, WorkerRequest } from "../../dispatch/index.ts";
import { RoutingError } from "../../errors/index.ts";
import { type AnswerHead, type ClientAnswer, type ClientListener, refusalOf } from "../../http/index.ts";
import { applyEdit } from "../../json/index.ts";
import type { RouteDecision } from "../../router/index.ts";
import type { AnswerWatch } from "./answer-watch.ts";
import { Attempt, type AttemptOutcomes, type HeldAnswer } from "./attempt.ts";
import type { CallContext, ReceivedRequest } from "./call-context.ts";
import { CallReport } from "./call-report.ts";
import type { Legs } from "./disaggregated/legs.ts";
import { SplitCall } from "./disaggregated/split-call.ts";
import type { CallPhase } from "./telemetry.ts";
import { Tries } from "./tries.ts";
import { WorkerChoice } from "./worker-choice.ts";
import { workerError } from "./worker-errors.ts";
import { workerRequest } from "./worker-request.ts";

/**
 * One request on its way: chooses a worker, forwards, relays the answer, and asks another worker when one fails before the client
 * has got a byte. Whatever happens, the load that was booked is released, and the client's answer ended.
 */
export class ForwardedCall implements ClientListener, AttemptOutcomes {
  readonly #request: ReceivedRequest;
  readonly #client: ClientAnswer;
  readonly #context: CallContext;
  readonly #report: CallReport;
  readonly #receivedMs: number;
  readonly #choice: WorkerChoice;
  readonly #tries = new Tries();
  #phase: CallPhase = "pick";
  #decision: RouteDecision | undefined;
  #attempt: Attempt | undefined;
  readonly #split: SplitCall | undefined;
  #isOver = false;

  constructor(request: ReceivedRequest, client: ClientAnswer, context: CallContext) {
    this.#request = request;
    this.#client = client;
    this.#context = context;
    this.#report = new CallReport(context, request);
    this.#receivedMs = context.clock.now();
    this.#split = context.splitter && new SplitCall(request, context.splitter);
    this.#choice = new WorkerChoice(request, this.#split, context, this.#report);
  }

  start(): void {
    this.#client.listen(this);
    this.#context.budget.earn();
    this.#choose();
  }

  /** Ends it in the middle: the proxy stops. The client is told as well as can be. */
  abandon(): void {
    if (this.#isOver) return;
    const error = new RoutingError("the proxy is shutting down", { code: "shutting_down" });
    if (!this.#client.isBegun) {
      this.#refuse(error);
      return;
    }
    const lastWords = this.#attempt?.lastWords(error);
    this.#close();
    if (lastWords === undefined) this.#client.cut();
    else {
      this.#client.write(lastWords);
      this.#client.end();
    }
  }

  drained(): void {
    this.#attempt?.drained();
  }

  left(): void {
    if (this.#isOver) return;
    this.#report.left(this.#phase);
    this.#close();
  }

  failed(error: DispatchError): void {
    if (this.#isOver) return;
    try {
      this.#attemptFailed(error);
    } catch (cause) {
      // Nobody behind this can answer the client, which would wait for ever. Its leaving gives back what is booked.
      this.#client.cut();
      throw cause;
    }
  }

  #attemptFailed(error: DispatchError): void {
    const { workers } = this.#context;
    const endpoint = this.#endpoint();
    this.#tries.failed(endpoint, error);
    this.#report.attemptFailed(endpoint, error.failure, this.#tries.count);
    if (error.failure === "unreachable") workers.unreachable(endpoint);
    else if (error.failure !== "unsendable") workers.failed(endpoint);
    if (error.failure === "unsendable") this.#giveUp();
    else this.#retry();
  }

  serverError(answer: HeldAnswer): void {
    const endpoint = this.#endpoint();
    this.#tries.serverError(endpoint, answer);
    this.#report.attemptFailed(endpoint, "server_error", this.#tries.count);
    this.#retry();
  }

  answered(watch: AnswerWatch): void {
    const { workers } = this.#context;
    const endpoint = this.#endpoint();
    this.#report.answered();
    workers.answered(endpoint);
    for (const suspect of this.#tries.suspects) workers.failed(suspect);
    this.#noteOwner(watch, endpoint);
    // While the reservation is held: whoever follows it is told what the request took.
    watch.end(this.#report);
    this.#close();
  }

  #noteOwner(watch: AnswerWatch, endpoint: string): void {
    const { keeping } = this.#request;
    const { owners } = this.#context;
    if (keeping === undefined || !watch.isSuccess) return;
    if (keeping !== "keeps") owners.forget(keeping.deletes);
    else if (watch.responseId !== undefined) owners.made(watch.responseId, endpoint);
  }

  cut(error: DispatchError): void {
    this.#report.cut(this.#endpoint(), error.failure);
    this.#context.workers.failed(this.#endpoint());
    this.#close();
  }

  #endpoint(): string {
    return this.#split?.answering ?? this.#decision?.endpoint ?? "";
  }

  #choose(): void {
    this.#phase = "pick";
    this.#choice.choose(this.#tries.tried, {
      picked: (decision) => this.#picked(decision),
      failed: (cause) => this.#notPicked(cause),
    });
  }

  #picked(decision: RouteDecision): void {
    this.#decision = decision;
    try {
      const legs = this.#split?.legs(decision, (...part) => workerRequest(this.#request, ...part));
      if (legs === "alone") {
        decision.reservation.release();
        this.#choice.keepWhole();
        this.#choose();
        return;
      }
      this.#reportPick(decision);
      this.#send(decision, legs);
    } catch (cause) {
      this.#refuse(cause);
    }
  }

  #reportPick(decision: RouteDecision): void {
    if (this.#tries.count > 0) this.#report.retried(this.#endpoint(), this.#tries.count + 1);
    this.#report.picked(decision, this.#request.body.bytes.length, this.#context.clock.now() - this.#receivedMs);
  }

  #send(decision: RouteDecision, legs: Legs | undefined): void {
    const { clock, options, dispatcher } = this.#context;
    this.#phase = "upstream";
    this.#tries.begin(legs === undefined ? [decision.endpoint] : [decision.endpoint, legs.prefilling]);
    const context = {
      client: this.#client,
      clock,
      format: this.#request.format,
      maxHeldAnswerBytes: options.maxHeldAnswerBytes,
      streamCommentMs: options.streamCommentMs,
      maxUsageBytes: options.maxUsageBytes,
      rewrite: this.#request.rewrite,
      began: (head: AnswerHead) => this.#began(head),
      sent: () => this.#report.sent(),
      contentBegan: () => this.#report.contentBegan(),
    };
    const attempt = new Attempt(decision, context, this);
    this.#attempt = attempt;
    if (legs === undefined) attempt.run(dispatcher.send(this.#wholeRequest(decision), attempt));
    else {
      attempt.run(legs);
      legs.send(dispatcher, attempt);
    }
  }

  #wholeRequest({ endpoint, headers, bodyEdit }: RouteDecision): WorkerRequest {
    const { bytes } = this.#request.body;
    const isEdited = bodyEdit !== undefined && this.#context.options.injectsTokens;
    return workerRequest(this.#request, endpoint, headers, isEdited ? applyEdit(bytes, bodyEdit) : bytes);
  }

  #began(head: AnswerHead): void {
    this.#phase = "response";
    // A stream takes minutes: what no retry can need any more is not kept for it.
    this.#request.body.release();
    this.#choice.forget();
    this.#report.began(head.status, this.#context.clock.now() - this.#receivedMs);
  }

  /** Another worker, if there is one and it may be asked. */
  #retry(): void {
    this.#decision?.reservation.release();
    const { options, budget, telemetry } = this.#context;
    if (this.#tries.count >= options.maxAttempts) this.#giveUp();
    else if (budget.spend()) this.#choose();
    else {
      telemetry.retried("no_budget");
      this.#giveUp();
    }
  }

  #notPicked(cause: unknown): void {
    if (this.#isOver) return;
    if (this.#tries.fallback === undefined) this.#refuse(this.#split?.explained(cause) ?? cause);
    else if (this.#tries.forgiveInnocent()) this.#choose();
    else {
      this.#context.telemetry.retried("no_worker");
      this.#giveUp();
    }
  }

  /** No other worker is asked: the client gets what the last one said. */
  #giveUp(): void {
    const { fallback, suspects, count } = this.#tries;
    if (fallback === undefined || fallback instanceof Error) {
      this.#refuse(fallback === undefined ? undefined : workerError(fallback));
      return;
    }
    this.#report.passedOn(suspects.at(-1) ?? "", fallback.head.status, count);
    this.#began(fallback.head);
    this.#client.whole(fallback.head, fallback.body);
    this.#close();
  }

  #refuse(cause: unknown): void {
    const { error, field } = refusalOf(cause, this.#context.options.retryAfterSeconds);
    this.#report.refused(error, field, cause, this.#tries.count === 0 ? undefined : this.#endpoint());
    this.#close();
    this.#client.refuse(error, field);
  }

  #close(): void {
    this.#isOver = true;
    this.#report.end();
    this.#client.listen(undefined);
    this.#choice.abandon();
    this.#attempt?.cancel();
    this.#decision?.reservation.release();
    this.#request.body.release();
  }
}
