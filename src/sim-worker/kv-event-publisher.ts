import { Publisher } from "zeromq";
import { ListenError } from "../errors/index.ts";
import type { CacheEvent } from "./block-cache.ts";
import { encodeEventBatch, type KvEventCodecOptions } from "./kv-event-codec.ts";
import { type PublishedBatch, type ReplayFraming, ReplayServer, sequenceFrame } from "./replay-server.ts";

/** Where events go and how much of the past is held. */
export interface KvEventPublisherOptions extends KvEventCodecOptions {
  readonly host: string;
  /** Port of the PUB socket; 0 = any free one. */
  readonly port: number;
  /** Port of the replay socket; 0 = any free one, undefined = no replay. */
  readonly replayPort: number | undefined;
  readonly replayFraming: ReplayFraming;
  /** Batches held for replay. */
  readonly replayBatches: number;
  /** True drops the next live batch; it keeps its number and can be replayed. Asked once a batch. */
  readonly isLost: () => boolean;
  /** Unix time in ms. */
  readonly now: () => number;
}

const topic = Buffer.alloc(0);

/**
 * Publishes cache events in vLLM's form: frames topic, sequence, payload. Events told in one turn of the event loop's
 * microtasks make one batch. A batch is never waited for: a subscriber that is too slow or not there misses it.
 */
export class KvEventPublisher {
  readonly #options: KvEventPublisherOptions;
  readonly #socket: Publisher;
  readonly #replay: ReplayServer | undefined;
  readonly #held: Buffer[] = [];
  readonly #outgoing: PublishedBatch[] = [];
  #pending: CacheEvent[] = [];
  #nextSequence = 0n;
  #changes = 0;
  #endpoint = "";
  #replayEndpoint: string | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;

  private constructor(options: KvEventPublisherOptions) {
    this.#options = options;
    const ipv6 = options.host.includes(":");
    this.#socket = new Publisher({ ipv6, linger: 0, sendHighWaterMark: 100_000 });
    const source = { since: (sequence: bigint) => this.#since(sequence) };
    this.#replay =
      options.replayPort === undefined ? undefined : new ReplayServer(source, options.replayFraming, { ipv6 });
  }

  /** Binds the sockets. Rejects with ListenError when a port is taken. */
  static async open(options: KvEventPublisherOptions): Promise<KvEventPublisher> {
    const publisher = new KvEventPublisher(options);
    try {
      await publisher.#bind();
    } catch (error) {
      await publisher.close();
      throw error;
    }
    return publisher;
  }

  /** `tcp://host:port` of the PUB socket. */
  get endpoint(): string {
    return this.#endpoint;
  }

  /** `tcp://host:port` of the replay socket; undefined without one. */
  get replayEndpoint(): string | undefined {
    return this.#replayEndpoint;
  }

  /** Batches numbered so far. */
  get batches(): number {
    return Number(this.#nextSequence);
  }

  /** Blocks stored and removed and clearings told so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Adds an event to the batch of this turn. */
  tell(event: CacheEvent): void {
    if (this.#pending.length === 0) queueMicrotask(() => this.#publish());
    this.#pending.push(event);
    this.#changes += event.kind === "stored" ? event.blockIds.length : 1;
  }

  /** Closes the sockets; what is not sent yet is lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sending;
    this.#socket.close();
    await this.#replay?.close();
  }

  async #bind(): Promise<void> {
    const { host, port, replayPort } = this.#options;
    const address = tcpEndpoint(host, port);
    await named("--kv-events-port", address, this.#socket.bind(address));
    this.#endpoint = this.#socket.lastEndpoint ?? address;
    const replayAddress = tcpEndpoint(host, replayPort ?? 0);
    this.#replayEndpoint = await named("--kv-replay-port", replayAddress, this.#replay?.listen(replayAddress));
  }

  #publish(): void {
    const payload = encodeEventBatch(this.#pending, this.#options.now(), this.#options);
    this.#pending = [];
    const batch = { sequence: this.#nextSequence, payload };
    this.#nextSequence += 1n;
    this.#held[Number(batch.sequence) % this.#options.replayBatches] = payload;
    if (this.#isClosed || this.#options.isLost()) return;
    this.#outgoing.push(batch);
    this.#sending ??= this.#sendAll();
  }

  /** One send at a time: the socket refuses a second one while the first waits. */
  async #sendAll(): Promise<void> {
    for (let batch = this.#outgoing.shift(); batch !== undefined; batch = this.#outgoing.shift()) {
      if (this.#isClosed) break;
      await this.#socket.send([topic, sequenceFrame(batch.sequence), batch.payload]);
    }
    this.#sending = undefined;
  }

  #since(sequence: bigint): readonly PublishedBatch[] {
    const oldest = this.#nextSequence - BigInt(this.#held.length);
    const batches: PublishedBatch[] = [];
    for (let next = sequence > oldest ? sequence : oldest; next < this.#nextSequence; next += 1n) {
      const payload = this.#held[Number(next) % this.#options.replayBatches];
      if (payload !== undefined) batches.push({ sequence: next, payload });
    }
    return batches;
  }
}

/** ZeroMQ says neither what was to be bound nor why. @throws ListenError */
async function named<T>(setting: string, address: string, binding: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await binding;
  } catch (cause) {
    throw new ListenError({ setting, address }, { cause });
  }
}

function tcpEndpoint(host: string, port: number): string {
  return `tcp://${host.includes(":") ? `[${host}]` : host}:${port === 0 ? "*" : port}`;
}
