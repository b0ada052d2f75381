/** The status codes that this surface ends a stream with. Source: grpc.github.io/grpc/core/md_doc_statuscodes.html. */
export const GrpcStatus = {
  ok: 0,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
} as const;

export type GrpcStatusCode = (typeof GrpcStatus)[keyof typeof GrpcStatus];

/** Ends a stream with its status; the message reaches the caller. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: GrpcStatusCode;

  constructor(message: string, status: GrpcStatusCode, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
