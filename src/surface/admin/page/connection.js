import { ApiError, ask } from "./api-client.js";
import { serverEvents } from "./event-stream.js";

/**
 * @import { PickSummary } from "../console-picks.ts"
 * @import { ConsoleState } from "../console-state.ts"
 */

/**
 * How things stand with the server. `sinceMs` is when the last state came, by this machine's clock; undefined = none yet.
 * @typedef {{ kind: "connecting" | "live", sinceMs: number | undefined }
 *   | { kind: "silent", sinceMs: number | undefined }
 *   | { kind: "lost", sinceMs: number | undefined, retryAtMs: number, reason: string }
 *   | { kind: "locked", sinceMs: number | undefined, isRefused: boolean }} ConnectionStatus
 */

/**
 * @typedef {object} ConnectionListeners
 * @property {(state: ConsoleState) => void} state
 * @property {(pick: PickSummary) => void} pick
 * @property {(count: number) => void} leftOut picks that were too many to be told of
 * @property {(status: ConnectionStatus) => void} status
 */

const firstRetryMs = 500;
const longestRetryMs = 10_000;
/** No state for this many intervals, and at least this long: what is shown is no longer of now. */
const silentIntervals = 3;
const leastSilenceMs = 4_000;
/** After this long the stream is given up and asked for anew. */
const longestSilenceMs = 15_000;

/** Follows the server's events for as long as the page is open, and begins anew whenever they end. */
export class Connection {
  #retryMs = firstRetryMs;
  #wake = () => {};
  #stream = new AbortController();
  /** @type {number | undefined} */
  #heardAtMs;
  #intervalMs = 1_000;
  /** @type {ConnectionStatus["kind"]} */
  #kind = "connecting";
  #hasToken = false;

  /** @param {ConnectionListeners} listeners */
  constructor(listeners) {
    this.listeners = listeners;
  }

  /** Never returns. */
  async run() {
    setInterval(() => this.#watchSilence(), 500);
    addEventListener("online", () => this.retryNow());
    for (;;) {
      await this.#follow();
    }
  }

  /** Tries at once, in place of waiting. */
  retryNow() {
    this.#wake();
  }

  /** The reader has given a token: it is tried. */
  unlock() {
    this.#hasToken = true;
    this.#wake();
  }

  async #follow() {
    this.#stream = new AbortController();
    this.#tell({ kind: "connecting", sinceMs: this.#heardAtMs });
    try {
      const response = await ask("api/events", this.#stream.signal);
      if (response.body === null) throw new Error("the server's answer is empty");
      for await (const { event, text } of serverEvents(response.body)) this.#take(event, text);
      await this.#waitToRetry("the server has ended the stream");
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await this.#waitForToken();
      else await this.#waitToRetry(error instanceof ApiError ? error.message : "the server cannot be reached");
    } finally {
      this.#stream.abort();
    }
  }

  /** @param {string} event @param {string} text */
  #take(event, text) {
    if (event === "state") {
      /** @type {ConsoleState} */
      const state = JSON.parse(text);
      this.#heardAtMs = Date.now();
      this.#intervalMs = state.updateIntervalMs;
      this.#retryMs = firstRetryMs;
      this.#hasToken = false;
      this.#tell({ kind: "live", sinceMs: this.#heardAtMs });
      this.listeners.state(state);
    } else if (event === "pick") this.listeners.pick(JSON.parse(text));
    else if (event === "picks-left-out") this.listeners.leftOut(JSON.parse(text).count);
  }

  #watchSilence() {
    if (this.#heardAtMs === undefined || (this.#kind !== "live" && this.#kind !== "silent")) return;
    const silentMs = Date.now() - this.#heardAtMs;
    if (silentMs > Math.max(longestSilenceMs, 2 * silentIntervals * this.#intervalMs)) this.#stream.abort();
    else if (silentMs > Math.max(leastSilenceMs, silentIntervals * this.#intervalMs)) {
      this.#tell({ kind: "silent", sinceMs: this.#heardAtMs });
    }
  }

  /** @param {string} reason */
  async #waitToRetry(reason) {
    const waitMs = this.#retryMs * (0.75 + Math.random() / 2);
    this.#retryMs = Math.min(longestRetryMs, this.#retryMs * 2);
    this.#tell({ kind: "lost", sinceMs: this.#heardAtMs, retryAtMs: Date.now() + waitMs, reason });
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  async #waitForToken() {
    const isRefused = this.#hasToken;
    this.#hasToken = false;
    const given = new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
    });
    this.#tell({ kind: "locked", sinceMs: this.#heardAtMs, isRefused });
    await given;
  }

  /** @param {ConnectionStatus} status */
  #tell(status) {
    this.#kind = status.kind;
    this.listeners.status(status);
  }
}
