import { JsonObject, type JsonValue, stringifyJson } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import { isList } from "../../fields/index.ts";
import {
  type HarmonyConversation,
  type HarmonyMessage,
  type HarmonyTool,
  harmonyCall,
  harmonyRequest,
  harmonyTurn,
  withoutThoughts,
} from "../harmony.ts";
import { given, notTaken, objectsOf, optionalObject, optionalText, textOf } from "../members.ts";
import { CUSTOM_INPUT, namedChoice, responseInput, responseTools } from "../responses.ts";
import { Untokenizable } from "../untokenizable.ts";
import { sglangResponseTools } from "./sglang-response-tools.ts";
import { sglangResponseEffort } from "./sglang-responses-effort.ts";

/** Harmony has three efforts: those beyond them are the nearest, the rest the default (sglang@0.5.23 entrypoints/harmony_utils.py). */
const efforts: ReadonlyMap<string | undefined, HarmonyConversation["effort"]> = new Map([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "high"],
  ["max", "high"],
]);

/**
 * A Responses request to gpt-oss at SGLang (sglang@0.5.23 serving_responses.py _make_request_with_harmony). Its developer's message is there
 * even when it is empty.
 * @throws Untokenizable
 */
export function sglangHarmonyResponses(root: JsonObject): ChatRequest {
  const input = responseInput(root);
  const messages =
    typeof input === "string" ? [{ author: "user", contents: [input] }] : new HarmonyItems().messages(input);
  return harmonyRequest({
    effort: efforts.get(sglangResponseEffort(root)) ?? "medium",
    developer: { instructions: optionalText(root, "instructions"), tools: offeredTools(root) },
    messages: withoutOldThoughts(messages),
  });
}

/** What was thought before the first answer is dropped when the assistant's last message is an answer. */
function withoutOldThoughts(messages: readonly HarmonyMessage[]): readonly HarmonyMessage[] {
  const last = messages.findLast(({ author }) => author === "assistant");
  if (last?.channel !== "final") return messages;
  return withoutThoughts(
    messages,
    messages.findIndex(({ channel }) => channel === "final"),
  );
}

function offeredTools(root: JsonObject): readonly HarmonyTool[] {
  const choice = root.get("tool_choice") ?? "auto";
  const isAuto = choice === "auto" || (choice instanceof JsonObject && namedChoice(choice) === undefined);
  if (!isAuto || root.get("tool_choice") === null) throw notTaken("tool_choice");
  sglangResponseTools(root);
  return responseTools(root).flatMap((tool) => {
    if (tool.get("type") !== "function") return [];
    const parameters = optionalObject(tool, "parameters");
    return [{ name: textOf(tool, "name"), description: textOf(tool, "description"), parameters }];
  });
}

/** Makes messages of items, of which results need the names of earlier calls. */
class HarmonyItems {
  readonly #names = new Map<JsonValue | undefined, string>();

  messages(items: readonly JsonObject[]): readonly HarmonyMessage[] {
    return items.map((item) => this.#message(item));
  }

  #message(item: JsonObject): HarmonyMessage {
    switch (item.get("type")) {
      case undefined:
      case "message":
        return plainTurn(item);
      case "reasoning":
        return reasoningTurn(item);
      case "function_call":
        return this.#call(item, functionArguments(item.get("arguments")));
      case "custom_tool_call":
        return this.#call(item, customArguments(optionalText(item, "input") ?? ""));
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#result(item);
      default:
        throw new Untokenizable("an item that is not known here");
    }
  }

  #call(item: JsonObject, args: string): HarmonyMessage {
    const name = textOf(item, "name");
    this.#names.set(item.get("call_id"), name);
    return harmonyCall(name, args);
  }

  #result(item: JsonObject): HarmonyMessage {
    const id = item.get("call_id");
    const name = id === undefined ? undefined : this.#names.get(id);
    if (name === undefined) throw notTaken("call_id");
    return { author: `functions.${name}`, contents: [outputText(item)] };
  }
}

function functionArguments(value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === "") return "{}";
  if (typeof value !== "string") throw notTaken("arguments");
  return value;
}

/** Python's text of an object with that one member. */
function customArguments(input: string): string {
  return `{"${CUSTOM_INPUT}": ${stringifyJson(input)}}`;
}

function outputText(item: JsonObject): string {
  const output = item.has("output") ? item.get("output") : "";
  if (typeof output === "string") return output;
  if (!isList(output)) throw notTaken("output");
  return output.flatMap((part) => (part instanceof JsonObject ? [partText(part)] : [])).join("");
}

function partText(part: JsonObject): string {
  return part.has("text") ? textOf(part, "text") : "";
}

const texts: ReadonlySet<JsonValue | undefined> = new Set(["text", "input_text", "output_text"]);

/** A system message is a developer's, with a label before its first text. */
function plainTurn(item: JsonObject): HarmonyMessage {
  const role = item.get("role");
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "developer") throw notTaken("role");
  const contents = plainTexts(item.get("content")).map((text, at) =>
    role === "system" && at === 0 ? `Instructions:\n${text}` : text,
  );
  if (role !== "assistant") return { author: role === "system" ? "developer" : role, contents };
  const phase = given(item, "phase");
  if (phase === undefined) return harmonyTurn(undefined, ...contents);
  return harmonyTurn(phase === "final_answer" ? "final" : "commentary", ...contents);
}

function plainTexts(content: JsonValue | undefined): readonly string[] {
  if (typeof content === "string") return [content];
  if (!isList(content)) throw notTaken("content");
  return objectsOf(content, "content").flatMap((part) => {
    if (texts.has(part.get("type"))) return [partText(part)];
    if (part.get("type") !== "refusal") throw new Untokenizable("content that is not text");
    return [];
  });
}

/** The summary, else the content; what SGLang packed itself is not known here. */
function reasoningTurn(item: JsonObject): HarmonyMessage {
  for (const name of ["summary", "content"]) {
    const parts = given(item, name) ?? [];
    if (!isList(parts)) throw notTaken(name);
    const text = parts.flatMap((part) => (part instanceof JsonObject ? [partText(part)] : [])).join("\n");
    if (text !== "") return harmonyTurn("analysis", text);
  }
  if (typeof given(item, "encrypted_content") === "string") throw new Untokenizable("packed reasoning");
  return harmonyTurn("analysis", "");
}
