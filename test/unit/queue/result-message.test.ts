import { describe, expect, it } from "vitest";
import { parseResult } from "../../../src/queue/result-message.ts";

describe("a result", () => {
  it("is read as llm-d-async writes it", () => {
    const text =
      '{"id":"p4","payload":"{\\"error\\":\\"cancelled\\"}","error_code":"CANCELLED","error_message":"cancelled","request_token":"t"}';
    expect(parseResult(text)).toEqual({
      id: "p4",
      statusCode: undefined,
      payload: '{"error":"cancelled"}',
      errorCode: "CANCELLED",
      errorMessage: "cancelled",
      requestToken: "t",
    });
    expect(parseResult('{"id":"p1","status_code":200,"payload":"x"}')).toMatchObject({ statusCode: 200, payload: "x" });
  });

  it.each(["{", "[1]", "null", "7", '""', "", '{"payload":"x"}', '{"id":"","payload":"x"}', '{"id":7,"payload":"x"}'])(
    "is none when it names no request: %s",
    (text) => {
      expect(parseResult(text)).toBeUndefined();
    },
  );

  it.each([
    '{"id":"a"}',
    '{"id":"a","payload":null}',
    '{"id":"a","payload":7}',
    '{"id":"a","status_code":200}',
    '{"id":"a","status_code":200,"payload":{"choices":[]}}',
    '{"id":"a","status_code":"200","payload":"{}"}',
    '{"id":"a","status_code":200.5,"payload":"{}"}',
    '{"id":"a","status_code":[200],"payload":"{}"}',
  ])("is told as unreadable when it says nothing that can be used: %s", (text) => {
    expect(parseResult(text)).toMatchObject({ id: "a", statusCode: undefined, errorCode: "UNREADABLE_RESULT" });
  });

  it.each([-1, 1, 99, 1_000])("keeps the status %i, which is for others to judge", (status) => {
    expect(parseResult(`{"id":"a","status_code":${status},"payload":""}`)).toMatchObject({ statusCode: status });
  });

  it("has no status where that is 0, and needs no payload where it has an error", () => {
    expect(parseResult('{"id":"a","status_code":0,"payload":"x"}')?.statusCode).toBeUndefined();
    expect(parseResult('{"id":"a","error_code":"GATE_DROPPED"}')).toMatchObject({ errorCode: "GATE_DROPPED" });
  });
});
