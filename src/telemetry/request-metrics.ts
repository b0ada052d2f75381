import type { Registry } from "prom-client";
import type { RoutingErrorCode } from "../errors/index.ts";
import { BoundedLabel } from "./bounded-label.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { type RequestSeries, requestSeries } from "./request-series.ts";
import { registerSampledGauge } from "./sampled-gauge.ts";

/** Parts of a pick's time: reading the body, turning it into tokens and hashes, choosing and booking. */
export type PickStage = "gather" | "prepare" | "select";

/** What is known of a placed prompt; undefined where its tokens are not known. */
interface PickTokens {
  readonly inputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

/** A worker that a caller was told. */
export interface ToldPick extends PickTokens {
  readonly model: string | undefined;
  readonly api: string;
  readonly mode: "query" | "reserve";
}

/** A request that was placed. */
export interface PickedRequest extends PickTokens {
  readonly model: string | undefined;
  readonly api: string;
  /** How the body came: the gateway's body mode. */
  readonly mode: string;
  readonly bodyBytes: number;
  /** From the end of the request's body to the answer. */
  readonly durationMs: number;
}

/** A request that was refused. */
export interface FailedRequest {
  readonly code: RoutingErrorCode;
  readonly field?: string | undefined;
  /** What the client was told. */
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  readonly durationMs: number;
}

/** How a request was chosen for. */
export interface ChosenRequest {
  readonly model: string | undefined;
  /** Complete blocks of its prompt; undefined when they are not known. */
  readonly promptBlocks: number | undefined;
  /** Of these, the leading ones that the worker that prefills is believed to hold, in any tier. */
  readonly heldBlocks: number;
  /** What became of its session; undefined = it names none. */
  readonly session: string | undefined;
  /** Why one worker serves it alone; undefined = two share it. */
  readonly aggregatedReason: string | undefined;
}

/** Token counts that a worker reported; undefined where it does not tell. */
export interface ServedUsage {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly cachedTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

/** What happens to requests. Every method is cheap enough for the hot path and never throws. */
export class RequestMetrics {
  readonly #models: BoundedLabel;
  readonly #inexactReasons = new BoundedLabel([], 32);
  readonly #series: RequestSeries;
  readonly #refusals: Pick<RefusalLog, "add" | "count">;
  #inFlight: InFlightTotals = { streams: 0, picks: 0, bodyBytes: 0 };

  /**
   * @param models names of the configured models: the values of the label `model`, beside `other` and `none`
   * @param refusals of all surfaces
   */
  constructor(registry: Registry, models: readonly string[], refusals: Pick<RefusalLog, "add" | "count">) {
    this.#refusals = refusals;
    this.#models = new BoundedLabel(models);
    this.#series = requestSeries(registry);
    this.#sampleInFlight(registry);
  }

  #sampleInFlight(registry: Registry): void {
    const gauge = (name: string, help: string, value: () => number) =>
      registerSampledGauge(registry, name, help, value);
    gauge("pointsman_open_streams", "Open ext_proc streams.", () => this.#inFlight.streams);
    const picks = "Requests between their headers and their answer.";
    gauge("pointsman_picks_in_flight", picks, () => this.#inFlight.picks);
    gauge("pointsman_held_body_bytes", "Bytes of request bodies held in memory.", () => this.#inFlight.bodyBytes);
  }

  picked(pick: PickedRequest): void {
    const model = this.#models.of(pick.model);
    const { picks, pickDuration, bodyBytes } = this.#series;
    picks.inc({ api: pick.api, model, mode: pick.mode });
    pickDuration.observe({ outcome: "picked" }, seconds(pick.durationMs));
    bodyBytes.observe({}, atLeastZero(pick.bodyBytes));
    this.#observeTokens(model, pick);
  }

  /** A caller of the route API was told a worker: it has booked there (`reserve`), or has only asked (`query`). */
  told(pick: ToldPick): void {
    const model = this.#models.of(pick.model);
    this.#series.picks.inc({ api: pick.api, model, mode: pick.mode });
    this.#observeTokens(model, pick);
  }

  #observeTokens(model: string, { inputTokens: prompt, predictedCachedTokens: predicted }: PickTokens): void {
    const { inputTokens, predictedCachedTokens } = this.#series;
    if (prompt !== undefined) inputTokens.observe({ model }, atLeastZero(prompt));
    if (predicted !== undefined) predictedCachedTokens.observe({ model }, atLeastZero(predicted));
  }

  /** A request that came by a gateway was refused. */
  failed(failure: FailedRequest): void {
    this.#series.errors.inc({ code: failure.code });
    this.#refusals.add({ ...failure, surface: "ext-proc" });
    this.#series.pickDuration.observe({ outcome: "failed" }, seconds(failure.durationMs));
  }

  stage(stage: PickStage, durationMs: number): void {
    this.#series.stageDuration.observe({ stage }, seconds(durationMs));
  }

  /** How a placed request was chosen. */
  chosen(choice: ChosenRequest): void {
    if (choice.promptBlocks !== undefined) {
      const model = this.#models.of(choice.model);
      this.#series.blocks.inc({ model, kind: "prompt" }, atLeastZero(choice.promptBlocks));
      this.#series.blocks.inc({ model, kind: "held" }, atLeastZero(Math.min(choice.heldBlocks, choice.promptBlocks)));
    }
    if (choice.session !== undefined) this.#series.sessions.inc({ outcome: choice.session });
    this.#series.splits.inc({ outcome: choice.aggregatedReason ?? "split" });
  }

  /** A request waited for a worker that was not too busy; `end` is one of few fixed words. */
  waited(end: string, durationMs: number): void {
    this.#series.queueWait.observe({ end }, seconds(durationMs));
  }

  /** A request was placed without token claims; `reason` is one of few fixed texts. */
  inexact(model: string | undefined, reason: string): void {
    this.#series.inexact.inc({ model: this.#models.of(model), reason: this.#inexactReasons.of(reason) });
  }

  usage(usage: ServedUsage): void {
    const model = this.#models.of(usage.model);
    const { servedInputTokens, servedCachedTokens, outputTokens, comparedTokens, cachedTokensError } = this.#series;
    servedInputTokens.inc({ model }, atLeastZero(usage.inputTokens));
    if (usage.outputTokens !== undefined) outputTokens.inc({ model }, atLeastZero(usage.outputTokens));
    if (usage.cachedTokens === undefined) return;
    const reported = atLeastZero(usage.cachedTokens);
    servedCachedTokens.observe({ model }, reported);
    if (usage.predictedCachedTokens === undefined) return;
    const predicted = atLeastZero(usage.predictedCachedTokens);
    comparedTokens.inc({ model, kind: "predicted" }, predicted);
    comparedTokens.inc({ model, kind: "reported" }, reported);
    cachedTokensError.observe({ model }, Math.abs(predicted - reported));
  }

  /** A successful response whose counts could not be read; `reason` is one of few fixed words. */
  usageUnread(reason: string): void {
    this.#series.usageUnread.inc({ reason });
  }

  /** Another endpoint than the picked one served a request. */
  mismatch(_endpoints?: unknown): void {
    this.#series.mismatches.inc({});
  }

  aborted(abort: { readonly phase: string }): void {
    this.#series.aborted.inc({ phase: abort.phase });
  }

  /** What has been counted since the start. */
  totals(): RequestTotals {
    const { picks, blocks } = this.#series;
    return {
      picks: picks.total(),
      refusals: this.#refusals.count,
      promptBlocks: blocks.total({ kind: "prompt" }),
      heldBlocks: blocks.total({ kind: "held" }),
    };
  }

  /** Requests of a model that were placed without token claims since the start, by the reason. */
  inexactOf(model: string): Readonly<Record<string, number>> {
    return this.#series.inexact.totalsBy("reason", { model: this.#models.of(model) });
  }

  /** @param totals read at each scrape from here on */
  inFlight(totals: InFlightTotals): void {
    this.#inFlight = totals;
  }
}

/** Requests, and blocks of prompts, since the start. */
export interface RequestTotals {
  /** Placed, or told of to a caller of the route API. */
  readonly picks: number;
  /** By all surfaces. */
  readonly refusals: number;
  /** Complete blocks of the prompts of placed requests. */
  readonly promptBlocks: number;
  /** Of these, those that the picked worker was believed to hold. */
  readonly heldBlocks: number;
}

/** What a surface holds; its members are current whenever they are read. */
export interface InFlightTotals {
  readonly streams: number;
  readonly picks: number;
  readonly bodyBytes: number;
}

/** prom-client throws on NaN and on negative counts, and a worker may report either. */
function atLeastZero(value: number): number {
  return value > 0 && value < Number.POSITIVE_INFINITY ? value : 0;
}

function seconds(ms: number): number {
  return atLeastZero(ms) / 1000;
}
