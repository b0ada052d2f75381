import { expect, it } from "vitest";
import type { AnswerReceiver } from "../../../../src/dispatch/index.ts";
import { AnswerTooLongError, wholeAnswer } from "../../../../src/surface/decisions/worker-call.ts";

const request = { endpoint: "w:1", method: "POST", path: "/", headers: [], body: Buffer.alloc(0) };

/** An answer whose pieces all lie in one buffer that is written anew for each. */
function answering(pieces: readonly string[]) {
  let cancelled = 0;
  const shared = Buffer.alloc(16);
  const send = (_: unknown, receiver: AnswerReceiver) => {
    setImmediate(() => {
      receiver.head(200, "", []);
      for (const piece of pieces) receiver.data(shared.subarray(0, shared.write(piece)));
      receiver.end();
    });
    return { cancel: () => (cancelled += 1), pause: () => undefined, resume: () => undefined };
  };
  const dispatcher = { send } as unknown as Parameters<typeof wholeAnswer>[0];
  return { dispatcher, cancels: () => cancelled };
}

const quiet = new AbortController().signal;

it("an answer in tiny pieces is copied: none of them is kept", async () => {
  const text = Array.from({ length: 10_000 }, (_, at) => String(at % 10)).join("");
  const { dispatcher } = answering([...text]);
  const { status, body } = await wholeAnswer(dispatcher, request, 10_000, quiet);
  expect([status, body.toString()]).toEqual([200, text]);
});

it("an answer of a byte too many ends the exchange", async () => {
  const { dispatcher, cancels } = answering(["12345", "67890", "1"]);
  await expect(wholeAnswer(dispatcher, request, 10, quiet)).rejects.toThrow(AnswerTooLongError);
  expect(cancels()).toBe(1);
});
