import {
  answerBody,
  type BodyBounds,
  type DecisionDialect,
  DecisionError,
  type DecisionRequest,
  parseDecision,
} from "../../decisions/index.ts";
import type { Clock } from "../../http/index.ts";
import type { JsonReader } from "../../json/index.ts";
import type { RewrittenBody, RouteDecision, ScoringModel, ScoringPicks } from "../../router/index.ts";
import type { DecisionTrace } from "./decision-trace.ts";
import { capableWorkers, roomyWorkers } from "./eligible-workers.ts";
import { type ExecutionParts, execute } from "./execution.ts";
import { noScoringError } from "./no-scoring.ts";
import type { DecisionOptions } from "./options.ts";
import { Permits } from "./permits.ts";
import { type Branch, preflight } from "./preflight.ts";
import type { CallHeaders } from "./request-id.ts";
import type { BranchScore, ScoringReports } from "./scoring-branch.ts";
import type { DecisionPhase, DecisionRouteName, DecisionTelemetry } from "./telemetry.ts";
import type { WorkerDispatcher } from "./worker-call.ts";

/** One call of a route, its body read. */
export interface DecisionCall {
  readonly route: DecisionRouteName;
  readonly dialect: DecisionDialect;
  readonly body: Buffer;
  readonly requestId: string;
  readonly headers: CallHeaders;
  readonly trace: DecisionTrace;
  /** Whether models are loaded and the process is not leaving. */
  readonly isReady: boolean;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

export interface DecisionMakerParts {
  readonly picks: Pick<ScoringPicks, "find" | "pick" | "join">;
  /** The body under the name that rules want for its model; undefined = it keeps its own. */
  rewrite(body: Buffer, headers: CallHeaders): RewrittenBody | undefined | Promise<RewrittenBody | undefined>;
  readonly dispatcher: WorkerDispatcher;
  readonly reports: ScoringReports;
  readonly telemetry: DecisionTelemetry;
  readonly clock: Clock;
  /** Reads the bodies. */
  readonly reader: JsonReader;
  readonly options: DecisionOptions;
}

/** Makes decisions: from a body to the text of its answer. */
export class DecisionMaker {
  readonly #parts: DecisionMakerParts;
  readonly #branches: Permits;
  readonly #preflights: Permits;
  readonly #bounds: BodyBounds;

  constructor(parts: DecisionMakerParts) {
    this.#parts = parts;
    this.#branches = new Permits(parts.options.maxBranches);
    this.#preflights = new Permits(parts.options.maxPreflights);
    this.#bounds = { reader: parts.reader, maxValues: parts.options.maxValues };
  }

  /** Questions under way. */
  get branches(): number {
    return this.#branches.taken;
  }

  /**
   * The answer, JSON text. The order of checks is part of the contract.
   * @throws DecisionError, RoutingError, or the signal's reason, by rejecting: nothing of it runs any more
   */
  async decide(call: DecisionCall): Promise<string> {
    const startMs = this.#parts.clock.now();
    const rewrite = await this.#parts.rewrite(call.body, call.headers);
    const request = parseDecision(rewrite?.body ?? call.body, call.dialect, this.#bounds);
    if (!call.isReady) throw new DecisionError("unavailable", "service is not ready");
    const target = this.#target(request.model);
    const workers = capableWorkers(request, target.workers);
    const release = this.#admit(request.questions.length);
    try {
      const scores = await this.#withDeadline(call, (signal) =>
        this.#scores({ ...call, startMs }, request, { ...target, workers }, signal),
      );
      const result = resultOf(rewrite?.requested ?? target.model.name, scores);
      this.#used(call, target, result.usage);
      return answerBody(request, result);
    } finally {
      release();
    }
  }

  #target(name: string): ScoringModel {
    const { picks, options } = this.#parts;
    const { modelAliases } = options;
    const target = picks.find(Object.hasOwn(modelAliases, name) ? (modelAliases[name] as string) : name);
    if (typeof target === "string") throw noScoringError(target);
    return target;
  }

  /** @returns gives the room back */
  #admit(questions: number): () => void {
    const { limit } = this.#branches;
    if (questions > limit) {
      throw new DecisionError(
        "invalid_request",
        `request needs ${questions} branches; the System One branch limit is ${limit}`,
      );
    }
    const release = this.#branches.tryTake(questions);
    if (release === undefined) throw new DecisionError("capacity", "System One request capacity is exhausted");
    return release;
  }

  #used({ trace }: DecisionCall, { model }: ScoringModel, usage: ReturnType<typeof resultOf>["usage"]): void {
    trace.used(usage);
    const { inputTokens, outputTokens, cachedTokens } = usage;
    const tokens = { inputTokens, outputTokens, cachedTokens, predictedCachedTokens: undefined };
    this.#parts.telemetry.used({ model: model.name, ...tokens });
  }

  async #scores(
    call: DecisionCall & { readonly startMs: number },
    request: DecisionRequest,
    target: ScoringModel,
    signal: AbortSignal,
  ): Promise<readonly (BranchScore & Pick<Branch, "promptIds">)[]> {
    const { telemetry } = this.#parts;
    const branches = await this.#timed(call, "preflight", () => this.#preflight(request, target, signal));
    signal.throwIfAborted();
    const workers = roomyWorkers(request, branches, target.workers);
    telemetry.asked(call.route, {
      branches: branches.length,
      promptTokens: branches.reduce((sum, { promptIds }) => sum + promptIds.length, 0),
      labels: branches.reduce((sum, { labelIds }) => sum + labelIds.length, 0),
    });
    const { requestId, headers, trace } = call;
    const picked = (decision: RouteDecision) => this.#picked(call, decision);
    const execution = { model: target.model, workers, branches, requestId, headers, trace, picked };
    const scores = await execute(this.#executionParts(), execution, signal, (phase, run) =>
      this.#timed(call, phase, run),
    );
    return scores.map((score, at) => ({ ...score, promptIds: (branches[at] as Branch).promptIds }));
  }

  #picked({ body, startMs }: DecisionCall & { readonly startMs: number }, decision: RouteDecision): void {
    const { telemetry, clock } = this.#parts;
    const { model, api, inputTokens, predictedCachedTokens } = decision;
    const durationMs = clock.now() - startMs;
    telemetry.picked({ model, api, bodyBytes: body.length, durationMs, inputTokens, predictedCachedTokens });
  }

  async #preflight(
    request: DecisionRequest,
    { prompts }: ScoringModel,
    signal: AbortSignal,
  ): Promise<readonly Branch[]> {
    const release = this.#preflights.tryTake(1);
    if (release === undefined) throw new DecisionError("capacity", "System One preprocessing capacity is exhausted");
    try {
      return await preflight(request, prompts, this.#parts.options, signal);
    } finally {
      release();
    }
  }

  #executionParts(): ExecutionParts {
    const { picks, dispatcher, reports, options } = this.#parts;
    const { maxSiblings, maxWorkerAnswerBytes } = options;
    return { picks, dispatcher, reports, maxSiblings, maxWorkerAnswerBytes };
  }

  async #timed<T>({ route, trace }: DecisionCall, phase: DecisionPhase, run: () => Promise<T>): Promise<T> {
    const { clock, telemetry } = this.#parts;
    const startMs = clock.now();
    try {
      return await trace.during(phase, run);
    } finally {
      telemetry.phase(route, phase, clock.now() - startMs);
    }
  }

  async #withDeadline<T>({ signal }: DecisionCall, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, options } = this.#parts;
    const deadline = new AbortController();
    const cancel = clock.after(options.deadlineMs, () =>
      deadline.abort(new DecisionError("deadline", "decision request deadline exceeded")),
    );
    try {
      return await run(AbortSignal.any([signal, deadline.signal]));
    } finally {
      cancel();
    }
  }
}

function resultOf(model: string, scores: readonly (BranchScore & Pick<Branch, "promptIds">)[]) {
  let cachedTokens: number | undefined = 0;
  for (const score of scores) {
    cachedTokens =
      cachedTokens === undefined || score.cachedTokens === undefined ? undefined : cachedTokens + score.cachedTokens;
  }
  return {
    model,
    outcomes: scores.map(({ probabilities, labelMass }) => ({ kind: "scored" as const, probabilities, labelMass })),
    usage: {
      inputTokens: scores.reduce((sum, { promptIds }) => sum + promptIds.length, 0),
      outputTokens: 0,
      cachedTokens,
      reasoningTokens: 0,
    },
  };
}
