import type {
  ExtProcLogger,
  ExtProcTelemetry,
  InFlightTotals,
  PickDecision,
  PickReport,
  PickRequest,
  PickRouter,
  PickWait,
  StreamPhase,
  UsageReport,
  UsageUnreadReason,
} from "../../../../src/surface/ext-proc/index.ts";

/** Remembers what is done to a reservation. */
export class FakeReservation {
  readonly calls: string[] = [];
  readonly endpoint: string;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  prefillComplete(): void {
    this.calls.push("prefillComplete");
  }

  release(): void {
    if (!this.isReleased) this.calls.push("release");
  }

  servedBy(endpoint: string): boolean {
    this.calls.push(`servedBy ${endpoint}`);
    return endpoint !== this.endpoint;
  }

  tried(endpoint: string, isReached: boolean): void {
    this.calls.push(`${isReached ? "reached" : "did not reach"} ${endpoint}`);
  }

  get isReleased(): boolean {
    return this.calls.includes("release");
  }
}

export const ENDPOINT = "10.0.0.1:8000";

/** Answers every request with one decision, or as the test says. */
export class FakeRouter implements PickRouter {
  readonly requests: PickRequest[] = [];
  readonly signals: AbortSignal[] = [];
  readonly reservations: FakeReservation[] = [];
  decide: (request: PickRequest, signal: AbortSignal) => Promise<Partial<PickDecision>> = () => Promise.resolve({});
  /** Decides without a wait, when it is set. */
  decideAtOnce: ((request: PickRequest) => Partial<PickDecision>) | undefined;

  route(request: PickRequest, wait: PickWait): PickDecision | Promise<PickDecision> {
    this.requests.push(request);
    if (this.decideAtOnce !== undefined) return this.#decision(this.decideAtOnce(request));
    const { signal } = wait;
    this.signals.push(signal);
    return this.decide(request, signal).then((changes) => this.#decision(changes));
  }

  #decision(changes: Partial<PickDecision>): PickDecision {
    const reservation = new FakeReservation(changes.endpoint ?? ENDPOINT);
    this.reservations.push(reservation);
    return {
      endpoint: ENDPOINT,
      fallbacks: [],
      headers: [],
      bodyEdit: undefined,
      reservation,
      model: "m",
      api: "chat",
      inputTokens: 10,
      predictedCachedTokens: 4,
      ...changes,
    };
  }

  get request(): PickRequest {
    return only(this.requests);
  }

  get reservation(): FakeReservation {
    return only(this.reservations);
  }
}

export class RecordingTelemetry implements ExtProcTelemetry {
  readonly picks: PickReport[] = [];
  readonly failures: string[] = [];
  readonly usages: UsageReport[] = [];
  readonly unread: UsageUnreadReason[] = [];
  readonly mismatches: { picked: string; served: string }[] = [];
  readonly aborts: StreamPhase[] = [];
  totals: InFlightTotals = { streams: 0, picks: 0, bodyBytes: 0 };
  /** Highest totals seen. */
  peak: InFlightTotals = { streams: 0, picks: 0, bodyBytes: 0 };

  picked(pick: PickReport): void {
    this.picks.push(pick);
  }
  failed({ code }: { code: string }): void {
    this.failures.push(code);
  }
  usage(usage: UsageReport): void {
    this.usages.push(usage);
  }
  usageUnread(reason: UsageUnreadReason): void {
    this.unread.push(reason);
  }
  mismatch(mismatch: { picked: string; served: string }): void {
    this.mismatches.push(mismatch);
  }
  aborted({ phase }: { phase: StreamPhase }): void {
    this.aborts.push(phase);
  }
  inFlight({ streams, picks, bodyBytes }: InFlightTotals): void {
    const totals = { streams, picks, bodyBytes };
    this.totals = totals;
    this.peak = {
      streams: Math.max(this.peak.streams, totals.streams),
      picks: Math.max(this.peak.picks, totals.picks),
      bodyBytes: Math.max(this.peak.bodyBytes, totals.bodyBytes),
    };
  }
}

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

export class RecordingLogger implements ExtProcLogger {
  readonly lines: LogLine[] = [];

  debug(fields: object, message: string): void {
    this.lines.push({ level: "debug", fields, message });
  }
  info(fields: object, message: string): void {
    this.lines.push({ level: "info", fields, message });
  }
  warn(fields: object, message: string): void {
    this.lines.push({ level: "warn", fields, message });
  }
  error(fields: object, message: string): void {
    this.lines.push({ level: "error", fields, message });
  }
}

/** Time that moves when the test says. */
export class FakeClock {
  #nowMs = 1_000;
  #timers: { atMs: number; callback: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get timers(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { callback } of due) callback();
  }
}

function only<T>(items: readonly T[]): T {
  const [first] = items;
  if (first === undefined || items.length > 1) throw new Error(`expected one, got ${items.length}`);
  return first;
}
