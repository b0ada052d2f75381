import { describe, expect, it } from "vitest";
import { goString, goStringMap } from "../../../src/queue/go-json.ts";
import { memberParts } from "../../../src/queue/member.ts";
import type { Submission } from "../../../src/queue/submission.ts";

/** Recorded from llm-d-async's own Go producer (snapshot 5de949b, v0.9): `ZADD request-sortedset 1795962042 …`. */
const recorded =
  '{"internal":{"request_token":"07a7897290da7ea1aa357a48efe464f8","request_queue_name":"request-sortedset","result_queue_name":"resp:p1"},' +
  '"request_kind":"redis","data":{"id":"p1","created":1795962012,"deadline":1795962042,"payload":{"messages":[{"content":"hi","role":"user"}],' +
  '"model":"echo"},"metadata":{"team":"a"},"headers":{"x-h":"1"},"endpoint":"/v1/chat/completions","result_queue_name":"resp:p1"}}';

const submission: Submission = {
  id: "p1",
  queue: "request-sortedset",
  token: "07a7897290da7ea1aa357a48efe464f8",
  resultList: "resp:p1",
  created: 1_795_962_012,
  deadline: 1_795_962_042,
  payload: Buffer.from('{"messages":[{"content":"hi","role":"user"}],"model":"echo"}'),
  metadata: { team: "a" },
  headers: { "x-h": "1" },
  endpoint: "/v1/chat/completions",
};

describe("a member of the queue", () => {
  it("has the bytes of llm-d-async's producer", () => {
    expect(Buffer.concat(memberParts(submission, false)).toString()).toBe(recorded);
  });

  it("has room for a sequence number where v0.10 puts it", () => {
    const [head, tail] = memberParts(submission, true);
    expect(JSON.parse(`${head}7${tail}`).internal).toEqual({ ...JSON.parse(recorded).internal, enqueue_seq: 7 });
    expect(head.toString().endsWith('"enqueue_seq":')).toBe(true);
  });

  it("keeps the payload's bytes: large integers, order, escapes, spaces", () => {
    const payload = Buffer.from('{"z": 9007199254740993, "a":"<b>&\\u00e9é","f":1.0,"e":1e2}');
    const text = Buffer.concat(memberParts({ ...submission, payload }, false)).toString();
    expect(text).toContain(`"payload":${payload},"metadata"`);
  });

  it("leaves out empty maps", () => {
    const text = Buffer.concat(memberParts({ ...submission, metadata: {}, headers: undefined }, false)).toString();
    expect(Object.keys(JSON.parse(text).data)).toEqual([
      "id",
      "created",
      "deadline",
      "payload",
      "endpoint",
      "result_queue_name",
    ]);
  });
});

/** Expected: Go's encoding/json documentation (HTMLEscape, coercion to valid UTF-8, sorted keys). */
describe("text as Go writes it", () => {
  it.each([
    ["<a>&", '"\\u003ca\\u003e\\u0026"'],
    ["\u2028\u2029", '"\\u2028\\u2029"'],
    ["\b\f\n\r\t\u0001", '"\\b\\f\\n\\r\\t\\u0001"'],
    ["\\b\\\\f", '"\\\\b\\\\\\\\f"'],
    ["é😀", '"é😀"'],
    ["\ud800x", '"\ufffdx"'],
  ])("writes %j", (text, json) => {
    expect(goString(text)).toBe(json);
  });

  it("sorts keys by their bytes", () => {
    expect(goStringMap({ b: "1", "\uffff": "3", a: "2", "\u{10000}": "4" })).toBe(
      '{"a":"2","b":"1","\uffff":"3","\u{10000}":"4"}',
    );
  });
});
