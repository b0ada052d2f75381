import type { BodyMode } from "./body-mode.ts";
import { servedEndpoint } from "./endpoint-metadata.ts";
import type { MismatchLog } from "./mismatch-log.ts";
import type { PickDecision } from "./pick-router.ts";
import type { HttpBody, HttpHeaders, ProcessingRequest, ProcessingResponse } from "./processing-messages.ts";
import { noBody } from "./request-answers.ts";
import { ResponsePass } from "./response-pass.ts";
import { ResponseWatch } from "./response-watch.ts";
import type { ExtProcTelemetry } from "./telemetry.ts";
import { upstreamOutcome } from "./upstream-outcome.ts";

/** What all responses share. */
export interface ResponseContext {
  readonly telemetry: ExtProcTelemetry;
  readonly mismatches: MismatchLog;
  readonly options: { readonly conformanceHeaders: boolean; readonly maxUsageBytes: number };
}

/** The second half of a stream: the response passes, and what it tells of the pick is read. */
export class ResponsePhase {
  readonly #pass: ResponsePass;
  readonly #decision: PickDecision | undefined;
  /** Undefined: nobody was picked, there is nothing to watch. */
  readonly #watch: ResponseWatch | undefined;
  readonly #namesServed: boolean;

  /** @param decision undefined when the gateway answers in the picker's stead */
  constructor(
    decision: PickDecision | undefined,
    mode: BodyMode,
    { telemetry, mismatches, options }: ResponseContext,
    send: (message: ProcessingResponse) => void,
  ) {
    this.#pass = new ResponsePass(mode, send);
    this.#decision = decision;
    this.#watch = decision && new ResponseWatch(decision, telemetry, mismatches, options.maxUsageBytes);
    this.#namesServed = options.conformanceHeaders;
  }

  headers(message: HttpHeaders, { metadata_context: metadata, attributes }: ProcessingRequest): void {
    this.#pass.headers(message, this.#decision?.rewrite, this.#namesServed ? servedEndpoint(metadata) : undefined);
    this.#watch?.metadata(metadata);
    const outcome = upstreamOutcome(attributes);
    if (outcome !== undefined) this.#watch?.outcome(outcome);
    this.#watch?.headers(message);
  }

  body(message: HttpBody, { metadata_context: metadata }: ProcessingRequest): void {
    const isEnd = message.end_of_stream === true;
    this.#pass.body(message);
    this.#watch?.metadata(metadata);
    if (message.body !== undefined || isEnd) this.#watch?.body(message.body ?? noBody, isEnd);
  }

  trailers({ metadata_context: metadata }: ProcessingRequest): void {
    this.#pass.trailers();
    this.#watch?.metadata(metadata);
    this.#watch?.end();
  }
}
