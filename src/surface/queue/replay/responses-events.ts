import { itemsOf, type Members, membersOf, textOf, typedEvent } from "./json-parts.ts";

type Event = Members & { readonly type: string };

/** The events of a finished response, numbered. Source: OpenAI's API reference, "Streaming events" of Responses. */
export function* responsesEvents(response: Members): Generator<string> {
  let number = 0;
  for (const event of eventsOf(response)) yield typedEvent({ ...event, sequence_number: number++ });
}

function* eventsOf(response: Members): Generator<Event> {
  const begun = { ...response, status: "in_progress", output: [], usage: null, error: null, incomplete_details: null };
  yield { type: "response.created", response: begun };
  yield { type: "response.in_progress", response: begun };
  for (const [index, each] of itemsOf(response["output"]).entries()) {
    const item = membersOf(each);
    yield { type: "response.output_item.added", output_index: index, item: emptied(item) };
    yield* partsOf(item, { item_id: item["id"], output_index: index });
    yield { type: "response.output_item.done", output_index: index, item };
  }
  yield { type: endOf(response), response };
}

function endOf({ status }: Members): string {
  if (status === "failed" || status === "incomplete") return `response.${status}`;
  return "response.completed";
}

/** As the item begins. */
function emptied(item: Members): Members {
  const begun = item["status"] === undefined ? item : { ...item, status: "in_progress" };
  switch (item["type"]) {
    case "message":
      return { ...begun, content: [] };
    case "reasoning":
      return { ...begun, summary: [], ...(item["content"] === undefined ? {} : { content: [] }) };
    case "function_call":
      return { ...begun, arguments: "" };
    case "custom_tool_call":
      return { ...begun, input: "" };
    default:
      return begun;
  }
}

function* partsOf(item: Members, place: Members): Generator<Event> {
  switch (item["type"]) {
    case "message":
      for (const [at, part] of itemsOf(item["content"]).entries()) {
        yield* contentPart(membersOf(part), { ...place, content_index: at });
      }
      return;
    case "reasoning":
      yield* reasoningParts(item, place);
      return;
    case "function_call":
      yield* deltaAndDone("response.function_call_arguments", place, "arguments", textOf(item["arguments"]));
      return;
    case "custom_tool_call":
      yield* deltaAndDone("response.custom_tool_call_input", place, "input", textOf(item["input"]));
      return;
    default:
  }
}

function* contentPart(part: Members, place: Members): Generator<Event> {
  if (part["type"] === "refusal") {
    yield { type: "response.content_part.added", ...place, part: { ...part, refusal: "" } };
    yield* deltaAndDone("response.refusal", place, "refusal", textOf(part["refusal"]));
  } else if (part["type"] === "output_text") {
    const annotations = itemsOf(part["annotations"]);
    yield { type: "response.content_part.added", ...place, part: { ...part, text: "", annotations: [] } };
    yield { type: "response.output_text.delta", ...place, delta: textOf(part["text"]), logprobs: [] };
    for (const [at, annotation] of annotations.entries()) {
      yield { type: "response.output_text.annotation.added", ...place, annotation_index: at, annotation };
    }
    const logprobs = itemsOf(part["logprobs"]);
    yield { type: "response.output_text.done", ...place, text: textOf(part["text"]), logprobs };
  } else {
    yield { type: "response.content_part.added", ...place, part };
  }
  yield { type: "response.content_part.done", ...place, part };
}

function* reasoningParts(item: Members, place: Members): Generator<Event> {
  for (const [at, each] of itemsOf(item["summary"]).entries()) {
    const part = membersOf(each);
    const where = { ...place, summary_index: at };
    yield { type: "response.reasoning_summary_part.added", ...where, part: { ...part, text: "" } };
    yield* deltaAndDone("response.reasoning_summary_text", where, "text", textOf(part["text"]));
    yield { type: "response.reasoning_summary_part.done", ...where, part };
  }
  for (const [at, part] of itemsOf(item["content"]).entries()) {
    const where = { ...place, content_index: at };
    yield* deltaAndDone("response.reasoning_text", where, "text", textOf(membersOf(part)["text"]));
  }
}

function* deltaAndDone(type: string, place: Members, name: string, text: string): Generator<Event> {
  yield { type: `${type}.delta`, ...place, delta: text };
  yield { type: `${type}.done`, ...place, [name]: text };
}
