/** Bounds of what one request may hold. */
export interface RequestBounds {
  /** Most token ids of a prompt. */
  readonly maxTokenIds: number;
  /** Most block or sequence hashes of a prompt. */
  readonly maxHashes: number;
  /** Most items of any other list or map. */
  readonly maxListItems: number;
  /** Longest part of a body besides its lifted arrays and its client's request, bytes. */
  readonly maxFieldBytes: number;
  /** Most values and keys of a body besides its lifted arrays and its client's body. */
  readonly maxFieldValues: number;
  /** Longest client's request in a body, bytes. */
  readonly maxRequestBytes: number;
}

export interface RouteApiOptions {
  readonly bounds: RequestBounds;
  /** Whether load is booked for callers; otherwise they may only ask. */
  readonly reserves: boolean;
  /** Longest time from a request's body to its answer, ms. */
  readonly deadlineMs: number;
  /** Whether `/dump` is answered to callers that gave no token because none is configured. */
  readonly isDumpOpen: boolean;
  /** Whether fields of a client's body that choose a worker are honoured. */
  readonly trustsClients: boolean;
}
