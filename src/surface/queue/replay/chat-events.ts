import { dataEvent, itemsOf, type Members, membersOf } from "./json-parts.ts";

/**
 * The chunks of a finished chat completion: for each choice its role, its content, its end.
 * Source: OpenAI's API reference, "The chat completion chunk object".
 */
export function* chatEvents(body: Members, includesUsage: boolean): Generator<string> {
  const { choices, usage, object: _object, ...shared } = body;
  const frame = { ...shared, object: "chat.completion.chunk" };
  const usageOf = includesUsage ? { usage: null } : {};
  const chunk = (choice: object) => dataEvent({ ...frame, choices: [choice], ...usageOf });
  for (const each of itemsOf(choices)) {
    const { index = 0, message, finish_reason: reason = null, logprobs = null, ...rest } = membersOf(each);
    const { role = "assistant", ...content } = membersOf(message);
    yield chunk({ index, delta: { role, content: "" }, logprobs: null, finish_reason: null });
    yield chunk({ index, delta: deltaOf(content), logprobs, finish_reason: null });
    yield chunk({ ...rest, index, delta: {}, logprobs: null, finish_reason: reason });
  }
  if (includesUsage) yield dataEvent({ ...frame, choices: [], usage: usage ?? null });
  yield "data: [DONE]\n\n";
}

/** Parts of a message that are null say nothing; calls of tools are numbered in streams. */
function deltaOf(content: Members): Members {
  const parts = Object.entries(content).filter(([, value]) => value !== null);
  return Object.fromEntries(
    parts.map(([name, value]) => {
      if (name !== "tool_calls") return [name, value];
      return [name, itemsOf(value).map((call, index) => ({ index, ...membersOf(call) }))];
    }),
  );
}

/** The chunks of a finished completion. Source: OpenAI's API reference, "The completion object". */
export function* completionEvents(body: Members, includesUsage: boolean): Generator<string> {
  const { choices, usage, ...frame } = body;
  const usageOf = includesUsage ? { usage: null } : {};
  for (const each of itemsOf(choices)) {
    const { finish_reason: reason = null, ...choice } = membersOf(each);
    yield dataEvent({ ...frame, choices: [{ ...choice, finish_reason: null }], ...usageOf });
    const { index = 0 } = choice;
    yield dataEvent({ ...frame, choices: [{ index, text: "", logprobs: null, finish_reason: reason }], ...usageOf });
  }
  if (includesUsage) yield dataEvent({ ...frame, choices: [], usage: usage ?? null });
  yield "data: [DONE]\n\n";
}
