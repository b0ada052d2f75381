import { describe, expect, it } from "vitest";
import { DispatchError } from "../../../../src/dispatch/index.ts";
import { EventStream, type StreamKind } from "../../../../src/surface/proxy/event-stream.ts";

/** Timers that run when the time is said to have passed. */
class FakeClock {
  nowMs = 0;
  readonly #timers = new Set<{ atMs: number; callback: () => void }>();

  now(): number {
    return this.nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.nowMs = next.atMs;
      next.callback();
    }
    this.nowMs = untilMs;
  }
}

function start(kind: Partial<StreamKind> = {}) {
  const clock = new FakeClock();
  const sent: string[] = [];
  const stream = new EventStream({ format: "chat", isEncoded: false, commentMs: 100, ...kind }, clock, {
    write: (bytes) => sent.push(bytes.toString()),
    finish: () => sent.push("finished"),
    fail: (event) => sent.push(event),
    cut: () => sent.push("cut"),
  });
  return { clock, sent, stream };
}

const event = Buffer.from("data: 1\n\n");
const comment = ": keep-alive\n\n";

describe("a stream that is silent", () => {
  it("has a comment after each such time, counted from what was sent last", () => {
    const { clock, sent, stream } = start();
    clock.advance(60);
    stream.data(event);
    clock.advance(99);
    expect(sent).toEqual(["data: 1\n\n"]);
    clock.advance(1);
    expect(sent).toEqual(["data: 1\n\n", comment]);
    clock.advance(250);
    expect(sent).toEqual(["data: 1\n\n", comment, comment, comment]);
  });

  it("has none within an event, held or passed on", () => {
    const { clock, sent, stream } = start({ commentMs: 50 });
    stream.data(Buffer.from("data: 1"));
    clock.advance(99);
    expect(sent).toEqual([]);
    const long = `data: ${"x".repeat(70_000)}`;
    const other = start();
    other.stream.data(Buffer.from(long));
    other.clock.advance(500);
    expect(other.sent).toEqual([long]);
  });

  it("has none where it is not wanted, or its bytes are compressed", () => {
    for (const kind of [{ commentMs: 0 }, { isEncoded: true }]) {
      const { clock, sent, stream } = start(kind);
      stream.data(event);
      clock.advance(10_000);
      expect(sent).toEqual(["data: 1\n\n"]);
      expect(clock.timers).toBe(0);
    }
  });

  it("has none once it is over, however it ends", () => {
    const ends = [
      (stream: EventStream) => stream.end(),
      (stream: EventStream) => stream.close(),
      (stream: EventStream) => stream.broken(new DispatchError("reset")),
    ];
    for (const end of ends) {
      const { clock, sent, stream } = start();
      end(stream);
      expect(clock.timers).toBe(0);
      clock.advance(1_000);
      expect(sent).not.toContain(comment);
    }
  });

  it("is whole in spite of comments behind its end", () => {
    const { clock, sent, stream } = start();
    stream.data(Buffer.from("data: [DONE]\n\n"));
    clock.advance(100);
    stream.broken(new DispatchError("reset"));
    expect(sent).toEqual(["data: [DONE]\n\n", comment, "finished"]);
  });
});
