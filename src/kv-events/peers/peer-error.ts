/** Why a peer gave no dump; each is a metric label. */
export type PeerFailure =
  /** No connection, or none that lasted until an answer. */
  | "unreachable"
  /** It is starting itself, and has found nobody to get an index from. */
  | "seeking"
  /** It is starting itself, and will have an index soon. */
  | "restoring"
  /** Any other answer than a dump: a wrong address, a missing token. */
  | "refused"
  | "too_slow"
  | "too_large"
  /** The dump broke off. */
  | "cut_off"
  /** What came is no dump. */
  | "malformed";

/** A peer gave no dump. */
export class PeerError extends Error {
  override readonly name = "PeerError";
  readonly failure: PeerFailure;

  constructor(message: string, options: ErrorOptions & { readonly failure: PeerFailure }) {
    super(message, options);
    this.failure = options.failure;
  }
}
