import { Router, XPublisher } from "zeromq";
import type { NumberedPayload } from "../../../../src/kv-events/frames.ts";
import { ModelEngine } from "../../../unit/kv-events/model-engine.ts";
import type { OddFrames, ReplayPlan } from "./stream-case.ts";

/** Batches that a replay still has. */
const bufferBatches = 10_000;

/** An engine's two sockets, as vLLM has them, on loopback; what is said is planned. */
export class OddEngine {
  readonly model = new ModelEngine(bufferBatches);
  /** Of the requests that come next. */
  replays: ReplayPlan[] = [];
  readonly #publisher = new XPublisher({ linger: 0, verbosity: "allSubs" });
  readonly #router = new Router({ linger: 0 });
  #serving: Promise<void> = Promise.resolve();

  static async start(): Promise<OddEngine> {
    const engine = new OddEngine();
    for (const socket of [engine.#publisher, engine.#router]) await socket.bind("tcp://127.0.0.1:*");
    engine.#serving = engine.#serve();
    return engine;
  }

  get endpoints(): { readonly events: string; readonly replay: string } {
    return { events: this.#publisher.lastEndpoint ?? "", replay: this.#router.lastEndpoint ?? "" };
  }

  /** Resolves when a subscriber is there, so that what is published from here on reaches it. */
  async subscribed(): Promise<void> {
    await this.#publisher.receive();
  }

  /** @param before frames that come before the number, of which the first is the topic */
  async publish(batch: NumberedPayload, before: number): Promise<void> {
    await this.#publisher.send([
      ...Array.from({ length: before }, (_, i) => (i === 0 ? "kv" : "")),
      ...framesOf(batch),
    ]);
  }

  async publishOdd({ frames }: OddFrames): Promise<void> {
    await this.#publisher.send(frames.map((hex) => Buffer.from(hex, "hex")));
  }

  async stop(): Promise<void> {
    this.#publisher.close();
    this.#router.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    try {
      for await (const [client, , from] of this.#router) {
        if (client !== undefined && from !== undefined) await this.#answer(client, Number(from.readBigUInt64BE()));
      }
    } catch (error) {
      // It may end in the middle of an answer.
      if (!this.#router.closed) throw error;
    }
  }

  async #answer(client: Buffer, first: number): Promise<void> {
    const plan = this.replays.shift();
    const head = [client, Buffer.alloc(0), ...(plan?.hasTopic === true ? [Buffer.from("kv-events")] : [])];
    for (const [at, batch] of this.model.buffered(first).entries()) {
      for (const { odd } of plan?.odd.filter((each) => each.at === at) ?? []) {
        await this.#router.send([client, ...odd.frames.map((hex) => Buffer.from(hex, "hex"))]);
      }
      if (at === plan?.hole) continue;
      await this.#router.send([...head, ...framesOf(batch)]);
      if (plan?.repeats === true && at === 1) await this.#router.send([...head, ...framesOf(batch)]);
    }
    await this.#router.send([...head, Buffer.alloc(8, 0xff), Buffer.alloc(0)]);
  }
}

function framesOf({ sequence, payload }: NumberedPayload): readonly Buffer[] {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(sequence));
  return [number, payload];
}
