/** An answer that is not the thing asked for, as Kubernetes writes it: HTTP status and `Status` object. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code: number;
  readonly reason: string;
  readonly retryAfterSeconds: number | undefined;
  readonly causes: readonly { readonly reason: string; readonly message: string }[];

  constructor(message: string, options: StatusOptions) {
    super(message);
    this.code = options.code;
    this.reason = options.reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.causes = options.causes ?? [];
  }

  /** The `Status` object. */
  get body(): object {
    const details = {
      ...(this.causes.length === 0 ? {} : { causes: this.causes }),
      ...(this.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: this.retryAfterSeconds }),
    };
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      reason: this.reason,
      ...(Object.keys(details).length === 0 ? {} : { details }),
      code: this.code,
    };
  }
}

interface StatusOptions {
  readonly code: number;
  readonly reason: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: StatusError["causes"];
}

export function notFound(what: string): StatusError {
  return new StatusError(`${what} not found`, { code: 404, reason: "NotFound" });
}

/** The version asked for is older than what is kept. */
export function expired(version: number, oldest: number): StatusError {
  return new StatusError(`too old resource version: ${version} (${oldest})`, { code: 410, reason: "Expired" });
}

/** The version asked for has not been yet, as after a restore of an older state. */
export function tooLarge(version: number, current: number): StatusError {
  return new StatusError(`Too large resource version: ${version}, current: ${current}`, {
    code: 504,
    reason: "Timeout",
    retryAfterSeconds: 1,
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(message, { code: 400, reason: "BadRequest" });
}
