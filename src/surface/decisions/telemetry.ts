/** A part of a decision's time. */
export type DecisionPhase = "preflight" | "first_branch" | "fanout";

/** Which contract was called. */
export type DecisionRouteName = "decisions" | "systemone";

/** Where the routes tell what happens. Nothing of a request's text is told. */
export interface DecisionTelemetry {
  /** A request was answered, in whichever way. */
  answered(route: DecisionRouteName, status: number, durationMs: number): void;
  /** A request got no decision. @param fault why not, one of few fixed words */
  refused(refusal: { readonly fault: string; readonly status: number; readonly requestId: string | undefined }): void;
  phase(route: DecisionRouteName, phase: DecisionPhase, durationMs: number): void;
  /** A request is put to a worker. */
  asked(route: DecisionRouteName, work: DecisionWork): void;
  /** A worker was chosen for a request. */
  picked(pick: DecisionPick): void;
  /** What the worker has counted for all questions of a request. */
  used(usage: DecisionUse): void;
}

/** A choice of a worker, in the counts that all requests have. */
export interface DecisionPick {
  readonly model: string | undefined;
  readonly api: string;
  readonly bodyBytes: number;
  /** From the end of the request's body to the choice. */
  readonly durationMs: number;
  readonly inputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

/** Tokens of all questions of a request. */
export interface DecisionUse {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly cachedTokens: number | undefined;
  readonly outputTokens: number;
  /** Never known: nobody looks for the siblings' blocks before they are sent. */
  readonly predictedCachedTokens: undefined;
}

/** What a request amounts to. */
export interface DecisionWork {
  readonly branches: number;
  readonly promptTokens: number;
  readonly labels: number;
}

/** Structured log, the shape of pino's. */
export interface DecisionsLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
