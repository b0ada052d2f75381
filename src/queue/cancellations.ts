import type { QueueEnvironment } from "./queue-environment.ts";
import { endsConnection, type QueueConnection } from "./queue-link.ts";
import type { CancelReason, QueueObserver } from "./queue-options.ts";
import { cancelRequest } from "./scripts.ts";

/** How long a cancellation waits for a connection, ms: what was to be cancelled is hardly there any more then. */
const maxParkedMs = 300_000;

interface Parked {
  readonly why: CancelReason;
  readonly untilMs: number;
}

/** Tells processors which requests nobody wants any more; what cannot be told is told once there is a connection again. */
export class Cancellations {
  readonly #maxParked: number;
  readonly #observer: QueueObserver;
  readonly #environment: Pick<QueueEnvironment, "now">;
  readonly #parked = new Map<string, Parked>();
  readonly #underWay = new Set<Promise<void>>();

  /** @param maxParked most that wait for a connection; the oldest are forgotten */
  constructor(maxParked: number, observer: QueueObserver, environment: Pick<QueueEnvironment, "now">) {
    this.#maxParked = maxParked;
    this.#observer = observer;
    this.#environment = environment;
  }

  /** @param connection undefined = there is none */
  cancel(id: string, why: CancelReason, connection: QueueConnection | undefined): void {
    if (connection === undefined) {
      this.#park(id, { why, untilMs: this.#environment.now() + maxParkedMs });
      return;
    }
    const telling = this.#tell(id, why, connection);
    this.#underWay.add(telling);
    telling.finally(() => this.#underWay.delete(telling)).catch(() => undefined);
  }

  flush(connection: QueueConnection): void {
    const nowMs = this.#environment.now();
    const parked = [...this.#parked];
    this.#parked.clear();
    for (const [id, { why, untilMs }] of parked) if (untilMs > nowMs) this.cancel(id, why, connection);
  }

  /** Resolves once all that is under way was told, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Never rejects. */
  async #tell(id: string, why: CancelReason, { commands, fail }: QueueConnection): Promise<void> {
    try {
      this.#observer.cancelled(why, await cancelRequest(commands, id));
    } catch (cause) {
      this.#observer.failed("cancel", cause);
      this.#park(id, { why, untilMs: this.#environment.now() + maxParkedMs });
      if (endsConnection(cause)) fail(cause);
    }
  }

  #park(id: string, parked: Parked): void {
    this.#parked.set(id, parked);
    if (this.#parked.size <= this.#maxParked) return;
    const [oldest] = this.#parked.keys();
    if (oldest !== undefined) this.#parked.delete(oldest);
  }
}
