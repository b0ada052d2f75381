import type { RedisLinkObserver } from "../../replicas/index.ts";
import type { ReplicaLink } from "../replication.ts";
import type { ConsoleQuestion, FromShard, ToShard } from "./shard-messages.ts";

/** The way to the process that started this one. */
export interface ParentPort {
  /** Rejects when the parent is gone. */
  send(message: FromShard): Promise<void>;
  onMessage(receive: (message: ToShard) => void): void;
  /** Told when the parent is gone. */
  onGone(gone: () => void): void;
}

/** A shard's side of what it shares with the others. */
export class ShardSide {
  readonly #port: ParentPort;
  readonly #stop = new AbortController();
  #observer: RedisLinkObserver | undefined;
  #render: (() => Promise<string>) | undefined;
  #console: ((question: ConsoleQuestion) => AsyncIterable<string>) | undefined;
  /** The latest question about the state. */
  #stateAsked = 0;

  constructor(port: ParentPort) {
    this.#port = port;
    port.onMessage((message) => this.#receive(message));
    port.onGone(() => this.#stop.abort());
  }

  /** Aborted when the shard is to end. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** The shard is to end. */
  end(): void {
    this.#stop.abort();
  }

  setReady(isReady: boolean): void {
    this.#tell({ kind: "ready", isReady });
  }

  /** Answers with `render` when metrics are wanted. */
  serveMetrics(render: () => Promise<string>): void {
    this.#render = render;
  }

  /** Answers with `answer`, in pieces of a JSON text, when the console asks. */
  serveConsole(answer: (question: ConsoleQuestion) => AsyncIterable<string>): void {
    this.#console = answer;
  }

  /** Channels to all shards, this one among them. */
  link(observer: RedisLinkObserver): ReplicaLink {
    this.#observer = observer;
    queueMicrotask(() => observer.connected());
    return {
      isOpen: () => !this.#stop.signal.aborted,
      publish: (channel, text) => this.#port.send({ kind: "message", channel, text }),
      close: async () => {
        this.#observer = undefined;
      },
    };
  }

  #receive(message: ToShard): void {
    if (message.kind === "stop") this.#stop.abort();
    else if (message.kind === "message") this.#observer?.message(message.text, message.channel);
    else if (message.kind === "console") this.#answerConsole(message.id, message.question).catch(() => undefined);
    else this.#answerMetrics(message.id);
  }

  /**
   * Who asks waits for a bounded time: what fails is answered by nothing. States are asked for one after the other: an answer that another question has
   * overtaken is waited for by nobody, and would slow down all that come after it.
   */
  async #answerConsole(id: number, question: ConsoleQuestion): Promise<void> {
    const isState = question.about === "state";
    if (isState) this.#stateAsked = id;
    const pieces = this.#console?.(question);
    if (pieces === undefined) return;
    for await (const text of pieces) {
      if (isState && this.#stateAsked !== id) return;
      await this.#port.send({ kind: "console", id, text, isLast: false });
    }
    await this.#port.send({ kind: "console", id, text: "", isLast: true });
  }

  #answerMetrics(id: number): void {
    this.#render?.().then(
      (text) => this.#tell({ kind: "metrics", id, text }),
      () => undefined,
    );
  }

  /** A parent that is gone has told so by `onGone`. */
  #tell(message: FromShard): void {
    this.#port.send(message).catch(() => undefined);
  }
}
