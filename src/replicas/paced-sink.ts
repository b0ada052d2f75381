import type { ReplicaEnvironment } from "./environment.ts";

/** Where messages go. */
export interface MessageSink {
  /** Whether anything can be sent. */
  isOpen(): boolean;
  /** Rejects when the message did not get out. */
  publish(text: string): Promise<void>;
}

/** Messages under way at one time; while they are, what there is to tell is gathered. */
const maxUnderWay = 4;

/** Says when it is time to send: at once after a pause, then at most every so often, and not while many messages are under way. */
export class PacedSink {
  readonly #sink: MessageSink;
  readonly #minPauseMs: number;
  readonly #environment: ReplicaEnvironment;
  readonly #flush: () => void;
  #isDue = false;
  #isClosed = false;
  #underWay = 0;
  #lastFlushMs = Number.NEGATIVE_INFINITY;
  #cancelFlush: (() => void) | undefined;
  #published = 0;
  #failed = 0;

  /** @param flush sends what there is to tell, with `send` */
  constructor(sink: MessageSink, minPauseMs: number, environment: ReplicaEnvironment, flush: () => void) {
    this.#sink = sink;
    this.#minPauseMs = minPauseMs;
    this.#environment = environment;
    this.#flush = flush;
  }

  /** Messages that got out, and those that did not. */
  get counts(): { readonly published: number; readonly failed: number } {
    return { published: this.#published, failed: this.#failed };
  }

  /** There is something to tell. While nothing can be sent it has to be said again once it can. */
  due(): void {
    this.#isDue = true;
    if (this.#isClosed || this.#cancelFlush !== undefined || this.#underWay >= maxUnderWay || !this.#sink.isOpen())
      return;
    const delayMs = Math.max(0, this.#lastFlushMs + this.#minPauseMs - this.#environment.now());
    this.#cancelFlush = this.#environment.after(delayMs, () => {
      this.#cancelFlush = undefined;
      if (!this.#sink.isOpen()) return;
      this.#lastFlushMs = this.#environment.now();
      this.#isDue = false;
      this.#flush();
    });
  }

  /** Never rejects: what did not get out is counted. */
  async send(text: string): Promise<void> {
    if (!this.#sink.isOpen()) return;
    this.#underWay++;
    try {
      await this.#sink.publish(text);
      this.#published++;
    } catch {
      this.#failed++;
    } finally {
      this.#underWay--;
    }
    if (this.#isDue) this.due();
  }

  /** Asks for no more messages. */
  close(): void {
    this.#isClosed = true;
    this.#cancelFlush?.();
  }
}
