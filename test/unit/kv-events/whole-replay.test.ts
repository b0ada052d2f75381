import { describe, expect, it } from "vitest";
import type { NumberedPayload } from "../../../src/kv-events/frames.ts";
import { ReplayError } from "../../../src/kv-events/replay-error.ts";
import { wholeReplay } from "../../../src/kv-events/whole-replay.ts";

/** What an engine answers to each request: numbers of batches, and how it ends. */
type Answer = readonly (number | "silence" | "failure")[];

class Engine {
  readonly requests: number[] = [];
  readonly #answers: readonly Answer[];
  readonly #process: string;

  constructor(answers: readonly Answer[], process = "a") {
    this.#answers = answers;
    this.#process = process;
  }

  async *replay(from: number): AsyncGenerator<NumberedPayload> {
    const answer = this.#answers[this.requests.length] ?? [];
    this.requests.push(from);
    for (const part of answer) {
      if (part === "silence") throw new ReplayError("silent", { isSilence: true });
      if (part === "failure") throw new ReplayError("failed");
      const process = part === 3 && this.requests.length > 1 ? this.#process : "a";
      if (part >= from) yield { sequence: part, payload: Buffer.from(`${process}${part}`) };
    }
  }

  async all(from = 0): Promise<number[]> {
    const numbers: number[] = [];
    for await (const { sequence } of wholeReplay((number) => this.replay(number))(from)) numbers.push(sequence);
    return numbers;
  }
}

describe("a replay that is made whole", () => {
  it("asks again from where the answer has a hole", async () => {
    const engine = new Engine([
      [0, 1, 2, 3, 6, 8],
      [3, 4, 5, 8],
      [5, 6, 7, 8],
    ]);
    expect(await engine.all()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(engine.requests).toEqual([0, 3, 5]);
  });

  it("asks again when it falls silent before its end, as long as that brings something", async () => {
    const engine = new Engine([[0, 1, "silence"], [1, 2, "silence"], [2]]);
    expect(await engine.all()).toEqual([0, 1, 2]);
    const mute = new Engine([
      [0, 1, "silence"],
      [1, "silence"],
    ]);
    await expect(mute.all()).rejects.toThrow("silent");
    expect(mute.requests).toEqual([0, 1]);
  });

  it("gives what there is when a hole stays", async () => {
    const engine = new Engine([
      [0, 1, 5],
      [1, 5, 6],
    ]);
    expect(await engine.all()).toEqual([0, 1, 5, 6]);
    const late = new Engine([[7, 8]]);
    expect(await late.all(3)).toEqual([7, 8]);
    expect(late.requests).toEqual([3]);
  });

  it("fails when it fails, and when another engine answers in between", async () => {
    await expect(new Engine([[0, 1, "failure"]]).all()).rejects.toThrow("failed");
    await expect(
      new Engine(
        [
          [0, 1, 2, 3, 6],
          [3, 4, 5, 6],
        ],
        "b",
      ).all(),
    ).rejects.toThrow("another engine");
  });

  it("is over some time with an engine that never comes to an end", async () => {
    const holes = Array.from({ length: 100 }, (_, i) => [i, i + 1, i + 9]);
    expect((await new Engine(holes).all()).length).toBeLessThan(100);
    const silences = Array.from({ length: 100 }, (_, i): Answer => [i, i + 1, "silence"]);
    await expect(new Engine(silences).all()).rejects.toThrow("silent");
  });
});
