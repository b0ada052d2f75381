import { pack } from "msgpackr";
import { vi } from "vitest";
import { Router, XPublisher } from "zeromq";

export interface FakeEngineOptions {
  /** Replay socket: its framing, or "mute" for one that never answers. Absent = none. */
  readonly replay?: "plain" | "with-topic" | "mute";
  /** Most batches that the replay still has. */
  readonly bufferBatches?: number;
  /** Addresses of an earlier engine that this one takes over. */
  readonly endpoints?: { readonly events: string; readonly replay: string | undefined };
}

/** An engine's event publisher, as vLLM has it, on loopback; a test decides what it says. */
export class FakeEngine {
  readonly #publisher = new XPublisher({ linger: 0, verbosity: "allSubs" });
  readonly #router: Router | undefined;
  readonly #options: FakeEngineOptions;
  readonly #buffer: [number, Buffer][] = [];
  readonly replayRequests: number[] = [];
  #isMute: boolean;
  #sequence = 0;
  #stamp = 0;
  #serving: Promise<void> = Promise.resolve();

  private constructor(options: FakeEngineOptions) {
    this.#options = options;
    this.#isMute = options.replay === "mute";
    this.#router = options.replay === undefined ? undefined : new Router({ linger: 0 });
  }

  static async start(options: FakeEngineOptions = {}): Promise<FakeEngine> {
    const engine = new FakeEngine(options);
    await bindWhenFree(engine.#publisher, options.endpoints?.events ?? "tcp://127.0.0.1:*");
    if (engine.#router !== undefined) {
      await bindWhenFree(engine.#router, options.endpoints?.replay ?? "tcp://127.0.0.1:*");
      engine.#serving = engine.#serve(engine.#router);
    }
    return engine;
  }

  get endpoints(): { readonly events: string; readonly replay: string | undefined } {
    return { events: this.#publisher.lastEndpoint ?? "", replay: this.#router?.lastEndpoint ?? undefined };
  }

  /** Resolves when a subscriber is there, so that what is published from here on reaches it. */
  async subscribed(): Promise<void> {
    await this.#publisher.receive();
  }

  /** Publishes a batch; a lost one is only in the replay buffer. */
  async publish(events: readonly unknown[], options: { lost?: boolean; rank?: number } = {}): Promise<void> {
    await this.publishRaw(pack([1_700_000_000 + this.#stamp++ / 1_000, events, options.rank ?? null]), options);
  }

  async publishRaw(payload: Buffer, options: { lost?: boolean } = {}): Promise<void> {
    const sequence = this.#sequence++;
    this.#buffer.push([sequence, payload]);
    if (this.#buffer.length > (this.#options.bufferBatches ?? 10_000)) this.#buffer.shift();
    if (options.lost !== true) await this.#publisher.send(["", numberFrame(sequence), payload]);
  }

  /** A message that is no batch at all. */
  async publishFrames(frames: readonly (string | Buffer)[]): Promise<void> {
    await this.#publisher.send([...frames]);
  }

  /** Later batches get time stamps that no earlier process has used. */
  useStampsFrom(stamp: number): this {
    this.#stamp = stamp;
    return this;
  }

  /** From here on a mute replay answers. */
  unmute(): void {
    this.#isMute = false;
  }

  async stop(): Promise<void> {
    this.#publisher.close();
    this.#router?.close();
    await this.#serving;
  }

  async #serve(router: Router): Promise<void> {
    try {
      await this.#answer(router);
    } catch (error) {
      // An engine that ends in the middle of an answer.
      if (!router.closed) throw error;
    }
  }

  async #answer(router: Router): Promise<void> {
    for await (const [client, , from] of router) {
      if (client === undefined || from === undefined) continue;
      const first = Number(from.readBigUInt64BE());
      this.replayRequests.push(first);
      if (this.#isMute) continue;
      const topic = this.#options.replay === "with-topic" ? ["kv-events"] : [];
      for (const [sequence, payload] of this.#buffer) {
        if (sequence >= first) await router.send([client, "", ...topic, numberFrame(sequence), payload]);
      }
      await router.send([client, "", ...topic, Buffer.alloc(8, 0xff), ""]);
    }
  }
}

/** An address that another socket has just given up is free a moment later: closing goes on in the library's thread. */
async function bindWhenFree(socket: XPublisher | Router, address: string): Promise<void> {
  await vi.waitFor(() => socket.bind(address), { timeout: 5_000, interval: 5 });
}

function numberFrame(sequence: number): Buffer {
  const frame = Buffer.alloc(8);
  frame.writeBigUInt64BE(BigInt(sequence));
  return frame;
}

/** A store of blocks of four tokens: block n holds the tokens 4n to 4n + 3, under engine hash `base` + n. */
export function stored(blocks: readonly number[], parent?: number, base = 0): unknown[] {
  const tokens = blocks.flatMap((block) => [4 * block, 4 * block + 1, 4 * block + 2, 4 * block + 3]);
  return [
    "BlockStored",
    blocks.map((block) => base + block),
    parent === undefined ? null : base + parent,
    tokens,
    4,
    null,
  ];
}

export function removed(blocks: readonly number[], base = 0): unknown[] {
  return ["BlockRemoved", blocks.map((block) => base + block)];
}

export const cleared: readonly unknown[] = ["AllBlocksCleared"];
