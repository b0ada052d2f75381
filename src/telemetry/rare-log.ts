/** Where lines are written; shaped as pino. */
export interface LineLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Monotonic milliseconds; only differences have meaning. */
interface Clock {
  now(): number;
}

/** Equal messages come this often at most, ms. */
const intervalMs = 60_000;

interface Said {
  atMs: number;
  suppressed: number;
}

/** Lets each message through once a minute; the next one says how many were held back. */
export class RareLog implements LineLog {
  readonly #log: LineLog;
  readonly #clock: Clock;
  readonly #said = new Map<string, Said>();

  constructor(log: LineLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  info(fields: object, message: string): void {
    this.#say(message, fields, (all) => this.#log.info(all, message));
  }

  warn(fields: object, message: string): void {
    this.#say(message, fields, (all) => this.#log.warn(all, message));
  }

  /** Messages are constant texts, so that there are few of them. */
  #say(message: string, fields: object, write: (fields: object) => void): void {
    const atMs = this.#clock.now();
    const said = this.#said.get(message);
    if (said !== undefined && atMs - said.atMs < intervalMs) {
      said.suppressed++;
      return;
    }
    this.#said.set(message, { atMs, suppressed: 0 });
    write(said === undefined || said.suppressed === 0 ? fields : { ...fields, suppressed: said.suppressed });
  }
}
