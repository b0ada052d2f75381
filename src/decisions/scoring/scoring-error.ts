/** Why an answer of `/generate` is no score. */
export type ScoringFailure =
  /** It is not what was asked for. */
  | "malformed"
  /** The worker has no room for it. */
  | "overloaded";

/** A worker's answer that is no score. Its message is for logs, and holds none of the worker's text but the type of its end. */
export class ScoringError extends Error {
  override readonly name = "ScoringError";
  readonly failure: ScoringFailure;

  constructor(message: string, options: ErrorOptions & { readonly failure?: ScoringFailure } = {}) {
    super(message, options);
    this.failure = options.failure ?? "malformed";
  }
}
