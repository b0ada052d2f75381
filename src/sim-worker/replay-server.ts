import { Router } from "zeromq";

/** Frames of a replay answer: vLLM from 0.26 on repeats the topic, older ones and SGLang do not. */
export type ReplayFraming = "with-topic" | "without-topic";

/** One published batch that can be asked for again. */
export interface PublishedBatch {
  readonly sequence: bigint;
  readonly payload: Buffer;
}

/** Where the batches to repeat come from. */
export interface BatchSource {
  /** The held batches from `sequence` on, oldest first. */
  since(sequence: bigint): readonly PublishedBatch[];
}

const delimiter = Buffer.alloc(0);
const topic = Buffer.alloc(0);
const endSequence = Buffer.alloc(8, 0xff);

/** Answers `["", first sequence as 8 bytes big-endian]` with every held batch from there on, then an end marker. */
export class ReplayServer {
  readonly #socket: Router;
  readonly #source: BatchSource;
  readonly #framing: ReplayFraming;
  #serving: Promise<void> = Promise.resolve();

  constructor(source: BatchSource, framing: ReplayFraming, socketOptions: { readonly ipv6: boolean }) {
    this.#socket = new Router({ ipv6: socketOptions.ipv6, linger: 0, sendHighWaterMark: 100_000 });
    this.#source = source;
    this.#framing = framing;
  }

  /** Binds; returns the endpoint with its real port. */
  async listen(endpoint: string): Promise<string> {
    await this.#socket.bind(endpoint);
    this.#serving = this.#serve();
    return this.#socket.lastEndpoint ?? endpoint;
  }

  /** Stops answering and frees the port. */
  async close(): Promise<void> {
    this.#socket.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    for await (const [client, empty, start] of this.#socket) {
      if (client === undefined || empty?.length !== 0 || start?.length !== 8) continue;
      for (const batch of this.#source.since(start.readBigUInt64BE())) {
        await this.#answer(client, sequenceFrame(batch.sequence), batch.payload);
      }
      await this.#answer(client, endSequence, Buffer.alloc(0));
    }
  }

  async #answer(client: Buffer, sequence: Buffer, payload: Buffer): Promise<void> {
    const head = this.#framing === "with-topic" ? [client, delimiter, topic] : [client, delimiter];
    try {
      await this.#socket.send([...head, sequence, payload]);
    } catch {
      // The asker has gone, or the socket is closing: there is nobody to tell.
    }
  }
}

/** A sequence number as its frame: 8 bytes, big-endian. */
export function sequenceFrame(sequence: bigint): Buffer {
  const frame = Buffer.allocUnsafe(8);
  frame.writeBigUInt64BE(sequence);
  return frame;
}
