import { describe, expect, it } from "vitest";
import type { AnswerReceiver, WorkerRequest } from "../../../../../src/dispatch/index.ts";
import { type AnswerMerge, ConcurrentLegs } from "../../../../../src/surface/proxy/disaggregated/concurrent-legs.ts";

const requestTo = (endpoint: string): WorkerRequest => ({
  endpoint,
  method: "POST",
  path: "/generate",
  headers: [],
  body: undefined,
});

/** Takes no byte of the decode worker's answer: it is too long. */
const full: AnswerMerge = {
  prefillData: () => true,
  prefillEnd: () => undefined,
  head: (head) => head,
  data: () => undefined,
  end: () => Buffer.alloc(0),
};

/** Both workers' exchanges of one request, and what its receiver is told. */
function startLegs(merge: AnswerMerge | undefined, refused?: string) {
  const told: string[] = [];
  const legs: AnswerReceiver[] = [];
  const take = (call: string) => {
    told.push(call);
    if (call === refused) throw new Error(`refused at ${call}`);
  };
  const events = { prefillAnswered: () => undefined, prefillBroke: () => undefined };
  new ConcurrentLegs({ prefill: requestTo("p"), decode: requestTo("d") }, events, merge).send(
    {
      send: (_, receiver) => {
        legs.push(receiver);
        return { pause: () => undefined, resume: () => undefined, cancel: () => undefined };
      },
    },
    { head: () => take("head"), data: () => take("data"), end: () => take("end"), failed: () => take("failed") },
  );
  const [prefill, decode] = legs;
  if (prefill === undefined || decode === undefined) throw new Error("two requests were to be sent");
  return { told, prefill, decode };
}

describe("an answer that waited for the prefill worker", () => {
  it("fails once, however many of its pieces come behind the one that is too much", () => {
    const { told, prefill, decode } = startLegs(full);
    decode.head(200, "OK", []);
    for (const piece of ["a", "b", "c"]) decode.data(Buffer.from(piece));
    decode.end();
    prefill.head(200, "OK", []);
    prefill.end();
    expect(told).toEqual(["head", "failed"]);
  });

  it.each(["head", "data", "end"])("fails when who takes it throws at: %s", (call) => {
    const { told, prefill, decode } = startLegs(undefined, call);
    decode.head(200, "OK", []);
    decode.data(Buffer.from("a"));
    decode.end();
    prefill.head(200, "OK", []);
    prefill.end();
    expect(told.filter((each) => each === "failed")).toEqual(["failed"]);
    expect(told.at(-1)).toBe("failed");
  });
});
