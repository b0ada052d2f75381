import { describe, expect, it } from "vitest";
import { BatchMemory } from "../../../src/kv-events/index.ts";
import { WaitingBatches } from "../../../src/kv-events/waiting-batches.ts";

const batch = (sequence: number, bytes = 100) => ({ sequence, payload: Buffer.alloc(bytes) });

describe("batches that wait", () => {
  it("have room again when one is taken, of their own or of another stream that fills the memory", async () => {
    const memory = new BatchMemory(1_000);
    const [one, two] = [new WaitingBatches(memory, 2), new WaitingBatches(memory, 100)];
    for (const sequence of [0, 1]) one.add(batch(sequence));
    let hasRoom = false;
    const room = one.room().then(() => {
      hasRoom = true;
    });
    await Promise.resolve();
    expect(hasRoom).toBe(false);
    one.shift();
    await room;
    two.add(batch(7, 10_000));
    const again = one.room();
    two.shift();
    await again;
  });

  it("of a stream of which none waits have room, however full the memory is", async () => {
    const memory = new BatchMemory(1_000);
    const [one, two] = [new WaitingBatches(memory, 2), new WaitingBatches(memory, 2)];
    one.add(batch(0, 10_000));
    await two.room();
  });

  it("are none once they are closed, though more come, and nobody waits for room", async () => {
    const memory = new BatchMemory(1_000);
    const waiting = new WaitingBatches(memory, 1);
    waiting.add(batch(0));
    const room = waiting.room();
    waiting.close();
    await room;
    waiting.add(batch(1));
    await waiting.room();
    expect({ count: waiting.count, bytes: memory.bytes }).toEqual({ count: 0, bytes: 0 });
  });
});
