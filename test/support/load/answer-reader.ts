/** What an answer says of itself. */
export interface ReadAnswer {
  readonly text: string;
  readonly promptTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** Reads a whole answer of any of the three APIs, JSON or SSE. Throws on one that is not complete. */
export function readAnswer(contentType: string, body: string): ReadAnswer {
  if (!contentType.startsWith("text/event-stream")) return answerOf([JSON.parse(body)], textOfWhole);
  const events = body
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length));
  const isComplete = events.at(-1) === "[DONE]" || events.at(-1)?.includes('"response.completed"') === true;
  if (!isComplete) throw new Error("the event stream ended early");
  return answerOf(
    events.filter((event) => event !== "[DONE]").map((event) => JSON.parse(event)),
    textOfEvent,
  );
}

function answerOf(values: readonly unknown[], textOf: (value: unknown) => string): ReadAnswer {
  const usage = values.map(usageOf).findLast((each) => each !== undefined);
  return {
    text: values.map(textOf).join(""),
    promptTokens: numberAt(usage, "prompt_tokens") ?? numberAt(usage, "input_tokens"),
    outputTokens: numberAt(usage, "completion_tokens") ?? numberAt(usage, "output_tokens"),
    cachedTokens:
      numberAt(usage, "prompt_tokens_details", "cached_tokens") ??
      numberAt(usage, "input_tokens_details", "cached_tokens"),
  };
}

function usageOf(value: unknown): unknown {
  return at(value, "usage") ?? at(value, "response", "usage") ?? undefined;
}

function textOfWhole(value: unknown): string {
  const text =
    at(value, "choices", 0, "message", "content") ??
    at(value, "choices", 0, "text") ??
    at(value, "output", 0, "content", 0, "text");
  return typeof text === "string" ? text : "";
}

function textOfEvent(value: unknown): string {
  const delta = at(value, "delta");
  if (at(value, "type") === "response.output_text.delta" && typeof delta === "string") return delta;
  const text = at(value, "choices", 0, "delta", "content") ?? at(value, "choices", 0, "text");
  return typeof text === "string" ? text : "";
}

function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" ? found : undefined;
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Readonly<Record<string | number, unknown>>)[key];
  }
  return current;
}
