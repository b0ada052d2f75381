import { pack } from "msgpackr";
import { Publisher, Router } from "zeromq";

/** Tokens in a block. */
export const blockSize = 16;

/** Token `i` of a family of prompts; families share their first 256 tokens, as of one system prompt. */
export function tokenOf(family: number, i: number): number {
  return i < 256 ? (i * 7_919) % 151_936 : (family * 104_729 + i * 7_919) % 151_936;
}

/** An engine that has published that it holds the first tokens of some families, and answers replays of it. */
export class CachedEngine {
  readonly #publisher: Publisher;
  readonly #router: Router;

  private constructor(publisher: Publisher, router: Router) {
    this.#publisher = publisher;
    this.#router = router;
  }

  static async start(families: readonly number[], tokens: number): Promise<CachedEngine> {
    const engine = new CachedEngine(new Publisher({ linger: 0 }), new Router({ linger: 0 }));
    await engine.#publisher.bind("tcp://127.0.0.1:*");
    await engine.#router.bind("tcp://127.0.0.1:*");
    const batches = families.map((family) => pack([1, [storeOf(family, tokens)], null]));
    void engine.#answerReplays(batches);
    return engine;
  }

  get eventsEndpoint(): string {
    return this.#publisher.lastEndpoint ?? "";
  }

  get replayEndpoint(): string {
    return this.#router.lastEndpoint ?? "";
  }

  /** A live batch: what makes a subscriber that waits for one look for what came before. */
  async nudge(batches: number): Promise<void> {
    await this.#publisher.send(["", numberFrame(batches), pack([2, [], null])]);
  }

  stop(): void {
    this.#publisher.close();
    this.#router.close();
  }

  async #answerReplays(batches: readonly Buffer[]): Promise<void> {
    for await (const [client, , from] of this.#router) {
      if (client === undefined || from === undefined) continue;
      const first = Number(from.readBigUInt64BE());
      for (const [sequence, payload] of batches.entries()) {
        if (sequence >= first) await this.#router.send([client, "", numberFrame(sequence), payload]);
      }
      await this.#router.send([client, "", Buffer.alloc(8, 0xff), ""]);
    }
  }
}

function storeOf(family: number, tokens: number): unknown[] {
  const ids = Array.from({ length: tokens }, (_, i) => tokenOf(family, i));
  const hashes = Array.from({ length: tokens / blockSize }, (_, block) => {
    return block * blockSize < 256 ? 1_000 + block : 100_000 * (family + 1) + block;
  });
  return ["BlockStored", hashes, null, ids, blockSize, null, "GPU"];
}

function numberFrame(sequence: number): Buffer {
  const frame = Buffer.alloc(8);
  frame.writeBigUInt64BE(BigInt(sequence));
  return frame;
}
