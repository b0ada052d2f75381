import type { Config } from "../config/index.ts";
import type { CanaryFinding } from "../queue/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** Who sends canaries; of `src/queue`. */
interface CanaryClient {
  readonly isConnected: boolean;
  canary(queue: string, timeoutMs: number, signal: AbortSignal): Promise<CanaryFinding>;
}

/** Pause before another try where nobody has taken the one before, ms. */
const retryMs = 5_000;

/** Finds out for each queue whether its results come back here, and says what to change where they do not. */
export class QueueCanaries {
  readonly #client: CanaryClient;
  readonly #settings: Config["queue"];
  readonly #log: Pick<Logger, "info" | "warn" | "error">;
  readonly #end = new AbortController();
  readonly #open: Set<string>;
  #running: Promise<unknown> = Promise.resolve();

  /** @param queues whose results have to come back */
  constructor(
    client: CanaryClient,
    settings: Config["queue"],
    queues: readonly string[],
    log: Pick<Logger, "info" | "warn" | "error">,
  ) {
    this.#client = client;
    this.#settings = settings;
    this.#log = log;
    this.#open = new Set(settings.canary.mode === "off" ? [] : queues);
  }

  /** Whether requests may be taken. */
  get mayServe(): boolean {
    return this.#settings.canary.mode !== "require" || this.#open.size === 0;
  }

  start(): void {
    this.#running = Promise.all([...this.#open].map((queue) => this.#settle(queue)));
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  /** Tries until it is known. Never rejects. */
  async #settle(queue: string): Promise<void> {
    const { signal } = this.#end;
    let isFirst = true;
    while (!signal.aborted) {
      const finding = await this.#try(queue);
      if (finding?.kind === "arrived") {
        this.#open.delete(queue);
        this.#log.info({ queue }, "results of the queue come back");
        return;
      }
      if (finding !== undefined) this.#tell(queue, finding, isFirst);
      // Where results go is not looked up again unless requests wait for it: settings of a processor rarely change.
      if (finding?.kind === "swallowed" && this.#settings.canary.mode === "warn") return;
      isFirst = false;
      await pause(retryMs, signal);
    }
  }

  async #try(queue: string): Promise<CanaryFinding | undefined> {
    if (!this.#client.isConnected) return undefined;
    try {
      return await this.#client.canary(queue, this.#settings.canary.timeoutMs, this.#end.signal);
    } catch {
      // It was told to end.
      return undefined;
    }
  }

  #tell(queue: string, finding: CanaryFinding, isFirst: boolean): void {
    if (finding.kind === "swallowed") {
      const { foundIn } = finding;
      this.#log.error(
        { queue, foundIn },
        "results of the queue do not come back: its entry in the processor's configuration has a result_queue_name, which beats the one of each request. Remove it there, or use a queue of its own for this front",
      );
    } else if (finding.kind === "not_taken" && isFirst) {
      this.#log.warn(
        { queue },
        "no processor has taken a test request from the queue: none runs, or its gate is closed. Whether results come back is not known",
      );
    }
  }
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
