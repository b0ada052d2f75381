import { describe, expect, it } from "vitest";
import { silenceOf } from "../../../src/queue/silence.ts";

/** Time that passes by hand. */
class Hand {
  #nowMs = 0;
  #tasks: { readonly atMs: number; readonly task: () => void }[] = [];

  readonly after = (delayMs: number, task: () => void): (() => void) => {
    const planned = { atMs: this.#nowMs + delayMs, task };
    this.#tasks.push(planned);
    return () => {
      this.#tasks = this.#tasks.filter((each) => each !== planned);
    };
  };

  get waiting(): number {
    return this.#tasks.length;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    const due = this.#tasks.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#tasks = this.#tasks.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { task } of due) task();
  }
}

/** Whether the silence of a client is told in as many looks. */
async function isSilent(client: Parameters<typeof silenceOf>[0], passed: (hand: Hand) => void): Promise<boolean> {
  const hand = new Hand();
  const told = silenceOf(client, 800, hand, new AbortController().signal).then(() => true);
  passed(hand);
  return await Promise.race([told, Promise.resolve().then(() => false)]);
}

const owing = () => ({ stream: { bytesRead: 7 }, commandQueue: { length: 3 } });

describe("a server's silence", () => {
  it("is told when an answer is owed and nothing came in the time that is allowed, not before", async () => {
    const steps = (count: number) => (hand: Hand) => {
      for (let i = 0; i < count; i++) hand.pass(100);
    };
    expect(await isSilent(owing(), steps(7))).toBe(false);
    expect(await isSilent(owing(), steps(8))).toBe(true);
  });

  it("is none while anything comes, though each answer takes longer", async () => {
    const client = owing();
    const answering = (hand: Hand) => {
      for (let i = 0; i < 40; i++) {
        if (i % 5 === 0) client.stream.bytesRead++;
        hand.pass(100);
      }
    };
    expect(await isSilent(client, answering)).toBe(false);
  });

  it("is none while no answer is owed", async () => {
    const idle = (hand: Hand) => {
      for (let i = 0; i < 40; i++) hand.pass(100);
    };
    expect(await isSilent({ stream: { bytesRead: 7 }, commandQueue: { length: 0 } }, idle)).toBe(false);
  });

  it("is none after a pause of this process, before what was received is read", async () => {
    expect(await isSilent(owing(), (hand) => hand.pass(60_000))).toBe(false);
  });

  it("is not looked for any more when nobody wants to know", () => {
    const hand = new Hand();
    const end = new AbortController();
    silenceOf(owing(), 800, hand, end.signal).catch(() => undefined);
    hand.pass(100);
    end.abort();
    expect(hand.waiting).toBe(0);
  });
});
