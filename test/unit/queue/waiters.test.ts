import { describe, expect, it } from "vitest";
import type { QueueResult } from "../../../src/queue/index.ts";
import { parseResult } from "../../../src/queue/result-message.ts";
import { type Waiter, Waiters } from "../../../src/queue/waiters.ts";

function set() {
  const orphans: string[] = [];
  const waiters = new Waiters((reason) => orphans.push(reason));
  const wait = (id: string, token: string) => {
    const outcomes: unknown[] = [];
    const waiter: Waiter = {
      id,
      token,
      isConfirmed: true,
      settle: (outcome) => {
        outcomes.push(outcome);
        waiters.remove(waiter);
      },
    };
    waiters.add(waiter);
    return outcomes as QueueResult[];
  };
  return { waiters, orphans, wait };
}

describe("results and who waits for them", () => {
  it("gives each its own, whatever their order", () => {
    const { waiters, wait } = set();
    const [a, b] = [wait("a", "1"), wait("b", "2")];
    waiters.deliver('{"id":"b","status_code":200,"payload":"B"}');
    waiters.deliver('{"id":"a","status_code":200,"payload":"A"}');
    expect([a[0]?.payload, b[0]?.payload]).toEqual(["A", "B"]);
    expect(waiters.size).toBe(0);
  });

  it("counts what is nobody's, and drops it", () => {
    const { waiters, orphans, wait } = set();
    const a = wait("a", "1");
    for (const text of [
      '{"id":"x","payload":""}',
      '{"id":"a","payload":"","request_token":"2"}',
      "no JSON",
      "[]",
      "{}",
    ])
      waiters.deliver(text);
    expect(orphans).toEqual(["unknown", "token", "malformed", "malformed", "malformed"]);
    expect(a).toEqual([]);
  });

  it("takes a result with the right token, and a second one for nobody's", () => {
    const { waiters, orphans, wait } = set();
    const a = wait("a", "1");
    const text = '{"id":"a","status_code":200,"payload":"A","request_token":"1"}';
    waiters.deliver(text);
    waiters.deliver(text);
    expect([a.length, orphans]).toEqual([1, ["unknown"]]);
  });
});

describe("a result's text", () => {
  it.each([
    ['{"id":"a","payload":"p"}', { payload: "p", statusCode: undefined, errorCode: undefined }],
    ['{"id":"a","status_code":0,"payload":"p","error_code":""}', { statusCode: undefined, errorCode: undefined }],
    [
      '{"id":"a","status_code":404,"payload":"{}","error_code":"X","error_message":"m"}',
      { statusCode: 404, errorCode: "X", errorMessage: "m" },
    ],
    ['{"id":"a","status_code":"200","payload":7}', { statusCode: undefined, payload: "" }],
  ])("%s", (text, expected) => {
    expect(parseResult(text)).toMatchObject(expected);
  });
});
