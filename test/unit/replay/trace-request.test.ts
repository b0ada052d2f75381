import { describe, expect, it } from "vitest";
import { parseTraceRequest, simulatedRequestOf, TraceError, traceText } from "../../../src/replay/index.ts";

/** A line of Mooncake's conversation trace. */
const line = '{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47, 2353]}';

describe("a line of a trace", () => {
  it("is read, and other members are left alone", () => {
    const expected = { timestampMs: 27482, inputTokens: 6955, outputTokens: 52, blockIds: [46, 47, 2353] };
    expect(parseTraceRequest(line, 1)).toEqual(expected);
    expect(parseTraceRequest(line.replace("{", '{"session_id": "a", '), 1)).toEqual(expected);
  });

  it("is written as it is read", () => {
    const request = parseTraceRequest(line, 1);
    expect(parseTraceRequest(traceText(request), 1)).toEqual(request);
    expect(JSON.parse(traceText(request))).toEqual(JSON.parse(line));
  });

  it.each([
    ["{", "line 3: expected a JSON object"],
    ["[]", "line 3: expected a JSON object"],
    [line.replace("27482", "-1"), "line 3: timestamp: expected milliseconds since the beginning, 0 or more"],
    [line.replace("27482", '"now"'), "line 3: timestamp: expected milliseconds since the beginning, 0 or more"],
    [line.replace("6955", "1.5"), "line 3: input_length: expected a whole number of tokens, at most 16777216"],
    [line.replace("52", "16777217"), "line 3: output_length: expected a whole number of tokens, at most 16777216"],
    [line.replace("46", "-46"), "line 3: hash_ids: expected a list of whole numbers from 0 to 2^53"],
    [line.replace("[46, 47, 2353]", "7"), "line 3: hash_ids: expected a list of whole numbers from 0 to 2^53"],
    ["{}", "line 3: hash_ids: expected a list of whole numbers from 0 to 2^53"],
  ])("is refused by its number and member: %s", (text, message) => {
    expect(() => parseTraceRequest(text, 3)).toThrow(new TraceError(message.replace("line 3: ", ""), { line: 3 }));
  });
});

describe("a traced request as a simulated one", () => {
  const playback = { blockSize: 512, speed: 2 };
  const requestOf = (inputTokens: number, blockIds: readonly number[]) =>
    simulatedRequestOf({ timestampMs: 1000, inputTokens, outputTokens: 0, blockIds }, playback);

  it("has its complete blocks only: no cache holds another", () => {
    expect(requestOf(1030, [1, 2, 3]).hashes.count).toBe(2);
    expect(requestOf(1536, [1, 2, 3]).hashes.count).toBe(3);
    expect(requestOf(5000, [1]).hashes.count).toBe(1);
  });

  it("shares what it begins with, and nothing behind another beginning", () => {
    const [one, same, other] = [requestOf(1536, [1, 2, 3]), requestOf(1536, [1, 2, 9]), requestOf(1536, [8, 2, 3])];
    expect(same.hashes.sequence.slice(0, 4)).toEqual(one.hashes.sequence.slice(0, 4));
    expect(same.hashes.sequence.slice(4)).not.toEqual(one.hashes.sequence.slice(4));
    expect(other.hashes.sequence.slice(2, 4)).not.toEqual(one.hashes.sequence.slice(2, 4));
  });

  it("tells ids apart that differ above 32 bits", () => {
    expect(requestOf(512, [7]).hashes.sequence).not.toEqual(requestOf(512, [7 + 2 ** 32]).hashes.sequence);
  });

  it("comes as much sooner as the trace is played faster, and asks for a token at least", () => {
    expect(requestOf(0, [])).toMatchObject({ atMs: 500, promptTokens: 1, outputTokens: 1 });
  });
});
