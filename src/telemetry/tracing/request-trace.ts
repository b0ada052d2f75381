/** Where the context of a request's trace comes from: its headers. */
export interface TraceCarrier {
  getAll(lowerName: string): readonly string[];
}

/** What a span says of itself. Values are few, short, and never text that a prompt has. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work with its beginning and end. */
export interface TraceSpan {
  /** A part of it that begins now. */
  child(name: string): TraceSpan;
  /** Does a part of it, and notes when that began and ended, also when it throws or rejects. @returns what `work` returns */
  during<T>(name: string, work: () => T): T;
  set(attributes: TraceAttributes): void;
  /** It has ended; later calls change nothing. @param errorCode why it failed, one of few fixed words; absent = it did not */
  end(errorCode?: string): void;
}

/** One request in a trace. */
export interface RequestTrace {
  /** Headers that the worker is to get with the request, so that its spans belong to the trace. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined = the request is not recorded. */
  readonly span: TraceSpan | undefined;
}

/** Makes traces of requests. */
export interface RequestTracer {
  /**
   * @param name of the span, one of few fixed words
   * @param carrier tells the trace that the request belongs to, if any
   * @returns undefined = it is not recorded, and goes on as it came
   */
  begin(name: string, carrier: TraceCarrier): RequestTrace | undefined;
}
