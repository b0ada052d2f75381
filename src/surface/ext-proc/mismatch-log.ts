import type { Clock } from "../../http/index.ts";
import type { ExtProcLogger } from "./telemetry.ts";

/** Time between two lines about one endpoint. */
const QUIET_MS = 60_000;
/** Endpoints whose last line is remembered; beyond it nothing is logged until some are forgotten. */
const MAX_ENDPOINTS = 1_024;

/** Tells when another endpoint served than the picked one, once a minute for each that was picked. */
export class MismatchLog {
  readonly #logger: ExtProcLogger;
  readonly #clock: Clock;
  readonly #loggedAtMs = new Map<string, number>();

  constructor(logger: ExtProcLogger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  note(picked: string, served: string): void {
    const nowMs = this.#clock.now();
    const lastMs = this.#loggedAtMs.get(picked);
    if (lastMs !== undefined && nowMs - lastMs < QUIET_MS) return;
    if (lastMs === undefined && !this.#hasRoom(nowMs)) return;
    this.#loggedAtMs.set(picked, nowMs);
    this.#logger.warn({ picked, served }, "ext_proc: another endpoint served than the picked one");
  }

  #hasRoom(nowMs: number): boolean {
    if (this.#loggedAtMs.size < MAX_ENDPOINTS) return true;
    for (const [endpoint, lastMs] of this.#loggedAtMs) {
      if (nowMs - lastMs >= QUIET_MS) this.#loggedAtMs.delete(endpoint);
    }
    return this.#loggedAtMs.size < MAX_ENDPOINTS;
  }
}
