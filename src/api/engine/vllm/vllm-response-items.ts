import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given, notTaken, objectOf, objectsOf, optionalText, textOf, textPart } from "../members.ts";
import { CUSTOM_INPUT } from "../responses.ts";
import { Untokenizable } from "../untokenizable.ts";
import { vllmContent } from "./vllm-content.ts";
import { vllmCallArguments } from "./vllm-message.ts";

const statuses: ReadonlySet<JsonValue | undefined> = new Set(["in_progress", "completed", "incomplete"]);

/** An assistant's turn while its items come: text, calls and reasoning are put together as long as none comes twice. */
interface AssistantDraft {
  content: readonly JsonValue[] | undefined;
  reasoning: string | undefined;
  readonly calls: JsonObject[];
}

/** Makes chat messages of the items of a Responses request (vllm@0.33.0 entrypoints/openai/responses/utils.py). */
export class VllmItems {
  readonly #messages: (JsonObject | AssistantDraft)[] = [];

  /** @throws Untokenizable for items that vLLM refuses, or media */
  chatMessages(items: readonly JsonObject[]): readonly JsonObject[] {
    for (const item of items) this.#add(item);
    return this.#messages.map((message) => (message instanceof JsonObject ? message : assistantMessage(message)));
  }

  #add(item: JsonObject): void {
    const type = item.get("type");
    if (type === "function_call") this.#addCall(functionCall(item));
    else if (type === "custom_tool_call") this.#addCall(customCall(item));
    else if (type === "function_call_output")
      this.#messages.push(toolMessage(item, optionalText(item, "call_id") ?? null));
    else if (type === "custom_tool_call_output") this.#messages.push(toolMessage(item, textOf(item, "call_id")));
    else if (type === "reasoning") this.#addReasoning(reasoningText(item));
    else if (type === undefined || type === "message") this.#addMessage(item);
    else throw new Untokenizable("an item that is not known here");
  }

  #addCall(call: JsonObject): void {
    this.#draft(() => true).calls.push(call);
  }

  #addReasoning(text: string): void {
    this.#draft((draft) => draft.reasoning === undefined).reasoning = text;
  }

  #addMessage(item: JsonObject): void {
    const role = item.get("role");
    if (role === "assistant") {
      this.#draft((draft) => draft.content === undefined).content = [textPart(assistantText(item))];
      return;
    }
    if (role !== "user" && role !== "system" && role !== "developer") throw notTaken("role");
    const content = item.get("content");
    if (typeof content !== "string" && !isList(content)) throw notTaken("content");
    if (isList(content)) inputTexts(content);
    const name = item.get("name");
    this.#messages.push(
      objectOf({
        role,
        content: vllmContent(content, role, "own"),
        name: typeof name === "string" ? name : undefined,
        tools: role === "developer" ? null : undefined,
      }),
    );
  }

  /** The last message, when it is an assistant's and fits; else a new one. */
  #draft(fits: (draft: AssistantDraft) => boolean): AssistantDraft {
    const last = this.#messages.at(-1);
    if (last !== undefined && !(last instanceof JsonObject) && fits(last)) return last;
    const draft: AssistantDraft = { content: undefined, reasoning: undefined, calls: [] };
    this.#messages.push(draft);
    return draft;
  }
}

function assistantMessage({ content = [], reasoning, calls }: AssistantDraft): JsonObject {
  return objectOf({
    role: "assistant",
    content,
    tool_calls: calls.length === 0 ? undefined : calls,
    reasoning,
    reasoning_content: reasoning,
  });
}

function functionCall(item: JsonObject): JsonObject {
  checkStatus(item);
  const [id, name, text] = [textOf(item, "call_id"), textOf(item, "name"), textOf(item, "arguments")];
  const namespace = optionalText(item, "namespace") ?? "";
  optionalText(item, "id");
  return toolCall(id, namespace === "" ? name : `${namespace}__${name}`, vllmCallArguments(text));
}

function customCall(item: JsonObject): JsonObject {
  const args = objectOf({ [CUSTOM_INPUT]: textOf(item, "input") });
  return toolCall(textOf(item, "call_id"), textOf(item, "name"), args);
}

function toolCall(id: string, name: string, args: JsonObject): JsonObject {
  return objectOf({ id, function: objectOf({ arguments: args, name }), type: "function" });
}

function toolMessage(item: JsonObject, id: string | null): JsonObject {
  const output = item.get("output");
  if (typeof output !== "string" && !isList(output)) throw notTaken("output");
  if (isList(output)) inputTexts(output);
  return objectOf({ role: "tool", content: vllmContent(output, "tool", "own"), tool_call_id: id });
}

/** Encrypted reasoning is refused. */
function reasoningText(item: JsonObject): string {
  if (item.has("id")) textOf(item, "id");
  checkStatus(item);
  if ((optionalText(item, "encrypted_content") ?? "") !== "") throw notTaken("encrypted_content");
  const summary = item.get("summary");
  if (!isList(summary)) throw notTaken("summary");
  const [summarized] = typedTexts(summary, "summary_text");
  const content = given(item, "content") ?? [];
  if (!isList(content)) throw notTaken("content");
  const [text] = typedTexts(content, "reasoning_text");
  return text ?? summarized ?? "";
}

/** Of several parts only the first one counts. */
function assistantText(item: JsonObject): string {
  const content = item.get("content");
  if (typeof content === "string") return content;
  if (!isList(content) || content.length === 0) throw notTaken("content");
  const parts = objectsOf(content, "content");
  const isOutput = item.get("type") === "message" && parts.every(isOutputPart);
  if (!isOutput) return inputTexts(content)[0] ?? "";
  for (const name of ["id", "status"]) if (item.has(name)) textOf(item, name);
  checkStatus(item);
  return textOf(parts[0] as JsonObject, "text");
}

function isOutputPart(part: JsonObject): boolean {
  if (part.get("type") === "refusal") return typeof part.get("refusal") === "string";
  const annotations = part.get("annotations") ?? [];
  return part.get("type") === "output_text" && typeof part.get("text") === "string" && isList(annotations);
}

/** @throws Untokenizable for parts of another type */
function inputTexts(parts: readonly JsonValue[]): readonly string[] {
  return typedTexts(parts, "input_text");
}

function typedTexts(parts: readonly JsonValue[], type: string): readonly string[] {
  return objectsOf(parts, "content").map((part) => {
    if (part.get("type") !== type) throw new Untokenizable("content that is not text");
    return textOf(part, "text");
  });
}

function checkStatus(item: JsonObject): void {
  const status = given(item, "status");
  if (status !== undefined && !statuses.has(status)) throw notTaken("status");
}
