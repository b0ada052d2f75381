import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replayEvents } from "../../../../src/surface/queue/replay/replay-events.ts";

const formats = [
  { format: "chat", mark: "choices", last: "data: [DONE]\n\n" },
  { format: "completions", mark: "choices", last: "data: [DONE]\n\n" },
  { format: "messages", mark: "content", last: 'event: message_stop\ndata: {"type":"message_stop"}\n\n' },
  { format: "responses", mark: "output", last: undefined },
] as const;

/** Names that answers of the APIs have, so that what is drawn looks like them. */
const names = fc.constantFrom(
  "index",
  "message",
  "content",
  "type",
  "text",
  "tool_calls",
  "usage",
  "status",
  "summary",
  "input",
  "arguments",
  "id",
  "logprobs",
  "annotations",
  "citations",
  "finish_reason",
  "output_tokens",
);
const words = fc.constantFrom(
  "text",
  "message",
  "tool_use",
  "thinking",
  "reasoning",
  "function_call",
  "output_text",
  "refusal",
  "failed",
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.integer(),
    words,
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 5 }),
  ),
}));

describe.each(formats)("an answer of $format", ({ format, mark, last }) => {
  it("is told by whole events with an end, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 3 }),
        fc.dictionary(names, value),
        fc.boolean(),
        (items, rest, usage) => {
          const body = JSON.stringify({ ...rest, [mark]: items });
          const events = [...(replayEvents(format, body, usage) ?? [])];
          expect(events.length).toBeGreaterThan(0);
          for (const event of events) expect(event).toMatch(/^(event: [\w.]+\n)?data: [^\n\r]+\n\n$/);
          if (last !== undefined) expect(events.at(-1)).toBe(last);
          else expect(events.at(-1)).toMatch(/^event: response\.(completed|failed|incomplete)\n/);
        },
      ),
    );
  });

  it.each(["", "null", "[]", "7", '"x"', "{", "{}", '{"error":{"message":"x"}}', `{"${"x".repeat(9)}":[]}`])(
    "is none of that API's when it is %s",
    (body) => {
      expect(replayEvents(format, body, true)).toBeUndefined();
    },
  );
});
