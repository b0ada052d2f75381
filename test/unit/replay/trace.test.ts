import { describe, expect, it } from "vitest";
import { Trace, type TraceRequest } from "../../../src/replay/index.ts";

const playback = { blockSize: 512, speed: 1 };

function request(timestampMs: number, blockIds: readonly number[], inputTokens = 512 * blockIds.length): TraceRequest {
  return { timestampMs, inputTokens, outputTokens: 7, blockIds };
}

function traceOf(requests: Iterable<TraceRequest>): Trace {
  const trace = new Trace();
  for (const each of requests) trace.add(each);
  return trace;
}

describe("a trace", () => {
  it("is played in order of time from 0 on, those of one time as they were added", () => {
    const played = [
      ...traceOf([request(500, [1]), request(300, [2, 3]), request(500, [4]), request(300, [])]).play(playback),
    ];
    expect(played.map(({ atMs, hashes }) => [atMs, hashes.local[0]])).toEqual([
      [0, 2],
      [0, undefined],
      [200, 1],
      [200, 4],
    ]);
    expect(played[0]).toMatchObject({ promptTokens: 1024, outputTokens: 7 });
  });

  it("can be played again, and faster", () => {
    const trace = traceOf([request(10, [1]), request(20, [2])]);
    expect([...trace.play(playback)]).toEqual([...trace.play(playback)]);
    expect([...trace.play({ blockSize: 512, speed: 4 })].map(({ atMs }) => atMs)).toEqual([0, 2.5]);
    expect([...new Trace().play(playback)]).toEqual([]);
  });

  it("keeps every id of many, above 32 bits too", () => {
    const requests = Array.from({ length: 3_000 }, (_, at) =>
      request(
        at,
        Array.from({ length: at % 60 }, (_, block) => 2 ** 40 + 60 * at + block),
      ),
    );
    for (const [at, { hashes }] of [...traceOf(requests).play(playback)].entries()) {
      const ids = Array.from({ length: hashes.count }, (_, block) => {
        const [low = 0, high = 0] = hashes.local.subarray(2 * block);
        return high * 2 ** 32 + low;
      });
      expect(ids).toEqual(requests[at]?.blockIds);
    }
  });

  it("takes 40 bytes a request and 8 a block", () => {
    const before = process.memoryUsage().arrayBuffers;
    const blockIds = Array.from({ length: 10 }, (_, block) => block);
    const trace = traceOf(Array.from({ length: 200_000 }, (_, at) => request(at, blockIds)));
    const bytes = process.memoryUsage().arrayBuffers - before;
    // Each of six columns may have a chunk of 512 KiB that is not full.
    expect(bytes).toBeLessThan(200_000 * (40 + 80) + 6 * 524_288);
    expect(trace.length).toBe(200_000);
  });

  it("knows which prompts are shorter than a block, and which have ids of blocks of another size", () => {
    const trace = traceOf([
      request(0, [], 100),
      request(0, [1, 2, 3]),
      request(0, [1, 2], 1_500),
      request(0, [1, 2, 3], 1_500),
    ]);
    expect(trace.shorterThan({ blockSize: 512 })).toBe(1);
    expect(trace.misfits({ blockSize: 512 })).toEqual({ count: 0, of: 3, crowded: 0 });
    expect(trace.misfits({ blockSize: 64 })).toEqual({ count: 3, of: 3, crowded: 0 });
    // 3 ids for 1.5 blocks; a block that is begun may have one.
    expect(trace.misfits({ blockSize: 1024 })).toEqual({ count: 2, of: 2, crowded: 2 });
    expect(trace.misfits({ blockSize: 4096 })).toEqual({ count: 3, of: 3, crowded: 3 });
  });

  it.each([
    { size: 16, tokens: [200, 207, 1_000], hasBegun: true },
    { size: 64, tokens: [207, 207, 150], hasBegun: false },
    { size: 512, tokens: [6_955, 7_000, 1_100], hasBegun: true },
    { size: 48, tokens: [4_831, 100, 9_999], hasBegun: false },
  ])("finds that its blocks have $size tokens", ({ size, tokens, hasBegun }) => {
    const idsOf = (count: number) => (hasBegun ? Math.ceil(count / size) : Math.floor(count / size));
    const prompts = tokens.map((count) =>
      request(
        0,
        Array.from({ length: idsOf(count) }, (_, id) => id),
        count,
      ),
    );
    // One id may be that of blocks of many sizes.
    const trace = traceOf([...Array.from({ length: 9 }, () => request(0, [1], 5_000)), ...prompts]);
    expect(trace.fittingBlockSize()).toBe(size);
  });

  it("finds no block size where there is none", () => {
    expect(traceOf([request(0, [], 100), request(0, [1], 100)]).fittingBlockSize()).toBeUndefined();
    expect(traceOf([request(0, [1, 2, 3], 0)]).fittingBlockSize()).toBeUndefined();
  });
});
