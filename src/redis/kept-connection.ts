import { unlessAborted } from "./unless-aborted.ts";

/** How a connection is made, watched and given up. */
export interface ConnectionMaker<C> {
  /** Rejects when there is none in the time that it takes. @param signal aborted when none is wanted any more */
  open(signal: AbortSignal): Promise<C>;
  /** Resolves with the reason once the connection is no good any more. @param signal aborted when nobody wants to know */
  untilLost(connection: C, signal: AbortSignal): Promise<unknown>;
  /** Closes it, whatever state it is in. @param cause why */
  drop(connection: C, cause: unknown): void;
}

/** Told what comes of a connection. */
export interface KeptConnectionObserver<C> {
  connected(connection: C): void;
  /** Told once, when there is no connection for the first time or any more; not of each vain attempt after it. */
  lost(cause: unknown): void;
}

export interface RetryPace {
  /** First pause before connecting again, ms; it doubles. */
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
}

/** Time and chance, as pauses need them. */
export interface RetryEnvironment {
  /** Calls back once after a delay. @returns cancels it */
  after(delayMs: number, task: () => void): () => void;
  /** Uniform in [0,1). */
  random(): number;
}

/** A connection that is made again whenever it is lost, from construction to `close`. */
export class KeptConnection<C> {
  readonly #maker: ConnectionMaker<C>;
  readonly #pace: RetryPace;
  readonly #observer: KeptConnectionObserver<C>;
  readonly #environment: RetryEnvironment;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  #open: C | undefined;
  #isLossTold = false;

  constructor(
    maker: ConnectionMaker<C>,
    pace: RetryPace,
    observer: KeptConnectionObserver<C>,
    environment: RetryEnvironment,
  ) {
    this.#maker = maker;
    this.#pace = pace;
    this.#observer = observer;
    this.#environment = environment;
    this.#running = this.#run();
  }

  /** Undefined while there is none. */
  get current(): C | undefined {
    return this.#open;
  }

  /** Closes the connection, and makes no other. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { reconnectMinMs, reconnectMaxMs } = this.#pace;
    let delayMs = reconnectMinMs;
    while (!this.#end.signal.aborted) {
      const { wasOpen, cause } = await this.#connectOnce();
      if (this.#end.signal.aborted) return;
      if (!this.#isLossTold) this.#observer.lost(cause);
      this.#isLossTold = true;
      // Processes that lost one server together do not come back together.
      await this.#pause((wasOpen ? reconnectMinMs : delayMs) * (0.5 + this.#environment.random() / 2));
      delayMs = wasOpen ? reconnectMinMs : Math.min(2 * delayMs, reconnectMaxMs);
    }
  }

  /** One connection from its making to its end. Never rejects. */
  async #connectOnce(): Promise<{ readonly wasOpen: boolean; readonly cause: unknown }> {
    const { signal } = this.#end;
    let connection: C;
    try {
      connection = await this.#maker.open(signal);
    } catch (cause) {
      return { wasOpen: false, cause };
    }
    this.#open = connection;
    this.#isLossTold = false;
    this.#observer.connected(connection);
    const cause = await unlessAborted(this.#maker.untilLost(connection, signal), signal).catch(
      (reason: unknown) => reason,
    );
    this.#open = undefined;
    this.#maker.drop(connection, cause);
    return { wasOpen: true, cause };
  }

  async #pause(delayMs: number): Promise<void> {
    let cancel = () => {};
    const over = new Promise<void>((resolve) => {
      cancel = this.#environment.after(delayMs, resolve);
    });
    await unlessAborted(over, this.#end.signal).catch(() => undefined);
    cancel();
  }
}
