import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BufferPool } from "../../../../src/http/index.ts";
import { MessageFrames } from "../../../../src/surface/ext-proc/message-frames.ts";

const MAX_BYTES = 300_000;

/** Keeps what it is given; scribbles over memory that it may give back. */
class Receiver {
  readonly messages: Buffer[] = [];
  readonly #pool: BufferPool;

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  receive(bytes: Buffer, spent: Buffer | undefined): void {
    this.messages.push(Buffer.from(bytes));
    if (spent === undefined) return;
    spent.fill(0xee);
    this.#pool.give(spent);
  }
}

function start() {
  const pool = new BufferPool(1 << 20);
  const receiver = new Receiver(pool);
  return { receiver, pool, frames: new MessageFrames(pool, MAX_BYTES, receiver) };
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Cuts bytes at the given places, in any order and more than there are. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
}

describe("MessageFrames", () => {
  it("finds the same messages wherever the stream is cut", () => {
    const length = fc.oneof(fc.nat(40), fc.nat(20_000), fc.constantFrom(0, 65_531, 65_536, 200_000));
    const message = fc.tuple(length, fc.nat(255)).map(([bytes, fill]) => Buffer.alloc(bytes, fill));
    const cuts = fc.array(fc.nat(), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), cuts, (messages, places) => {
        const { frames, receiver } = start();
        for (const chunk of cutAt(Buffer.concat(messages.map(framed)), places)) frames.add(chunk);
        expect(receiver.messages.length).toBe(messages.length);
        expect(messages.every((expected, index) => receiver.messages[index]?.equals(expected))).toBe(true);
        expect(frames.isInside).toBe(false);
      }),
    );
  });

  it("finds them when the stream comes byte by byte", () => {
    const { frames, receiver } = start();
    const stream = Buffer.concat([framed(Buffer.from("one")), framed(Buffer.alloc(0)), framed(Buffer.from("three"))]);
    for (const byte of stream) frames.add(Buffer.of(byte));
    expect(receiver.messages.map(String)).toEqual(["one", "", "three"]);
  });

  it.each([
    { name: "a message that is too long", head: [0, 0, 4, 0x93, 0xe1], status: 8 },
    { name: "a compressed message", head: [1, 0, 0, 0, 1], status: 12 },
  ])("refuses $name, whole head or cut", ({ head, status }) => {
    expect(() => start().frames.add(Buffer.from(head))).toThrow(expect.objectContaining({ status }));
    const { frames } = start();
    frames.add(Buffer.from(head.slice(0, 2)));
    expect(() => frames.add(Buffer.from([...head.slice(2), 1]))).toThrow(expect.objectContaining({ status }));
  });

  it("takes memory for what has come, not for what is announced", () => {
    const { frames, pool } = start();
    frames.add(Buffer.from([0, 0, 4, 0, 0, 7]));
    expect(frames.isInside).toBe(true);
    frames.close();
    expect(pool.freeBytes).toBe(65_536);
    expect(frames.isInside).toBe(false);
  });
});
