import { describe, expect, it } from "vitest";
import { AnswerParts } from "../../../src/dispatch/answer-parts.ts";

const head = { status: 200, reason: "OK", rawHeaders: ["a", "b"] };

/** What a receiver gets, in its order. @param onHead runs when it gets the head */
function parts(onHead: (parts: AnswerParts) => void = () => undefined) {
  const got: string[] = [];
  const refused: Error[] = [];
  const made: AnswerParts = new AnswerParts(
    {
      head: (status, reason, rawHeaders) => {
        got.push(`${status} ${reason} ${rawHeaders.join(":")}`);
        onHead(made);
      },
      data: (chunk) => got.push(chunk.toString()),
    },
    (cause) => refused.push(cause),
  );
  return { made, got, refused };
}

describe("the parts of an answer", () => {
  it("that one read brings are handed over together, before the event loop goes on", async () => {
    const { made, got } = parts();
    made.head(head);
    made.data(Buffer.from("one "));
    made.data(Buffer.from("two"));
    expect(got).toEqual([]);
    await Promise.resolve();
    expect(got).toEqual(["200 OK a:b", "one two"]);
    made.data(Buffer.from("three"));
    await Promise.resolve();
    expect(got).toEqual(["200 OK a:b", "one two", "three"]);
  });

  it("are handed over at once when they are long, so that a receiver that is behind can say so", () => {
    const { made, got } = parts();
    made.data(Buffer.alloc(65_536, "x"));
    expect(got).toEqual([]);
    made.data(Buffer.from("y"));
    expect(got).toEqual([`${"x".repeat(65_536)}y`]);
  });

  it("are handed over when the answer ends, and not again", async () => {
    const { made, got } = parts();
    made.head(head);
    made.data(Buffer.from("all"));
    made.handOver();
    await Promise.resolve();
    expect(got).toEqual(["200 OK a:b", "all"]);
  });

  it("are dropped when nobody wants them any more, also when the receiver finds that out at the head", async () => {
    const before = parts();
    before.made.data(Buffer.from("x"));
    before.made.drop();
    const within = parts((made) => made.drop());
    within.made.head(head);
    within.made.data(Buffer.from("x"));
    await Promise.resolve();
    expect(before.got).toEqual([]);
    expect(within.got).toEqual(["200 OK a:b"]);
  });

  it("tell of a receiver that refuses them", async () => {
    const refusal = new Error("no such header");
    const refuses = () => {
      throw refusal;
    };
    const late = parts(refuses);
    late.made.head(head);
    await Promise.resolve();
    expect(late.refused).toEqual([refusal]);
    const last = parts(refuses);
    last.made.head(head);
    expect(last.made.rest()).toBe(refusal);
    const now = parts(refuses);
    now.made.head(head);
    expect(() => now.made.handOver()).toThrow(refusal);
  });
});
