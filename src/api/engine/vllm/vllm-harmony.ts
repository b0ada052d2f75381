import { JsonObject, type JsonValue } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import { isList } from "../../fields/index.ts";
import {
  type HarmonyConversation,
  type HarmonyMessage,
  type HarmonyTool,
  harmonyCall,
  harmonyInstructions,
  harmonyRequest,
  harmonyTurn,
  withoutThoughts,
} from "../harmony.ts";
import { given, notTaken, optionalObject, optionalText, textOf } from "../members.ts";
import { pythonDumps } from "../python-dumps.ts";

export interface VllmHarmonyOptions {
  readonly instructions: string | undefined;
  readonly messages: readonly HarmonyMessage[];
  readonly tools: readonly HarmonyTool[];
  readonly effort: string | undefined;
}

/**
 * A request to gpt-oss at vLLM (vllm@0.33.0 openai/parser/harmony_utils.py): what was thought before the last answer is dropped.
 * @throws Untokenizable for efforts that Harmony does not know
 */
export function vllmHarmonyRequest({ instructions, messages, tools, effort }: VllmHarmonyOptions): ChatRequest {
  const developer = (instructions ?? "") === "" && tools.length === 0 ? undefined : { instructions, tools };
  const answerAt = messages.findLastIndex(({ author, channel }) => author === "assistant" && channel === "final");
  return harmonyRequest({ effort: harmonyEffort(effort), developer, messages: withoutThoughts(messages, answerAt) });
}

function harmonyEffort(effort = "medium"): HarmonyConversation["effort"] {
  if (effort === "low" || effort === "medium" || effort === "high") return effort;
  throw notTaken("reasoning_effort");
}

/**
 * A conversation of chat messages. The first of a system or developer is the instructions of the whole.
 * @param messages as the client sent them, `reasoning` under that name
 */
export function vllmHarmonyChat(
  messages: readonly JsonObject[],
  options: Pick<VllmHarmonyOptions, "tools" | "effort">,
): ChatRequest {
  const [first] = messages;
  const isLed = first !== undefined && isInstructing(first);
  const instructions = isLed ? flatText(first.get("content")) : undefined;
  const rest = isLed ? messages.slice(1) : messages;
  const names = namesOfCalls(rest);
  return vllmHarmonyRequest({ ...options, instructions, messages: rest.flatMap((message) => turns(message, names)) });
}

function isInstructing(message: JsonObject): boolean {
  return message.get("role") === "system" || message.get("role") === "developer";
}

function namesOfCalls(messages: readonly JsonObject[]): ReadonlyMap<JsonValue | undefined, string> {
  const names = new Map<JsonValue | undefined, string>();
  for (const message of messages) for (const { id, name } of callsOf(message)) names.set(id, name);
  return names;
}

interface Call {
  readonly id: JsonValue | undefined;
  readonly name: string;
  readonly args: string;
}

function callsOf(message: JsonObject): readonly Call[] {
  const calls = given(message, "tool_calls");
  if (calls === undefined) return [];
  if (!isList(calls)) throw notTaken("tool_calls");
  return calls.map((call) => {
    const target = call instanceof JsonObject ? call.get("function") : undefined;
    if (!(call instanceof JsonObject && target instanceof JsonObject)) throw notTaken("tool_calls");
    const name = target.get("name");
    if (typeof name !== "string") throw notTaken("tool_calls");
    return { id: call.get("id"), name, args: argumentsText(target.get("arguments")) };
  });
}

/** Objects are those of Messages, which become text as Python writes it. */
function argumentsText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (!(value instanceof JsonObject)) throw notTaken("tool_calls");
  return pythonDumps(value);
}

function turns(message: JsonObject, names: ReadonlyMap<JsonValue | undefined, string>): readonly HarmonyMessage[] {
  const content = message.get("content");
  switch (message.get("role")) {
    case "assistant":
      return assistantTurns(message);
    case "tool":
      return [toolTurn(names.get(message.get("tool_call_id") ?? "") ?? "", flatText(content) ?? "")];
    case "system":
    case "developer": {
      const text = flatText(content);
      return text === undefined ? [] : [harmonyInstructions(text)];
    }
    case "user":
      return [{ author: "user", contents: partTexts(content) }];
    default:
      throw notTaken("role");
  }
}

/** The result of a function. */
export function toolTurn(name: string, text: string): HarmonyMessage {
  return { author: `functions.${name}`, recipient: "assistant", channel: "commentary", contents: [text] };
}

/** With calls the text comes first and goes to the commentary, too; without, it is the answer. */
function assistantTurns(message: JsonObject): readonly HarmonyMessage[] {
  const calls = callsOf(message);
  const thoughts = thoughtsOf(message);
  if (calls.length > 0) {
    const text = flatText(message.get("content")) ?? "";
    const said = text === "" ? [] : [harmonyTurn("commentary", text)];
    return [...said, ...thoughts, ...calls.map(({ name, args }) => harmonyCall(name, args))];
  }
  const contents = partTexts(message.get("content"));
  return contents[0] === "" ? thoughts : [...thoughts, harmonyTurn("final", ...contents)];
}

function thoughtsOf(message: JsonObject): readonly HarmonyMessage[] {
  const reasoning = given(message, "reasoning") ?? "";
  if (typeof reasoning !== "string") throw notTaken("reasoning");
  return reasoning === "" ? [] : [harmonyTurn("analysis", reasoning)];
}

/** Texts of parts, nothing between them; undefined when there is none. */
export function flatText(content: JsonValue | undefined): string | undefined {
  if (content === undefined || content === null) return undefined;
  if (typeof content === "string") return content;
  if (!isList(content)) throw notTaken("content");
  const texts = content.flatMap((part) => {
    if (typeof part === "string") return [part];
    const text = part instanceof JsonObject ? given(part, "text") : undefined;
    if (text === undefined) return [];
    if (typeof text !== "string") throw notTaken("content");
    return [text];
  });
  return texts.length === 0 ? undefined : texts.join("");
}

/** The text of each part; one that has none is empty. */
export function partTexts(content: JsonValue | undefined): readonly string[] {
  if (content === undefined || content === null || content === "") return [""];
  if (typeof content === "string") return [content];
  if (!isList(content)) throw notTaken("content");
  if (content.length === 0) return [""];
  return content.map((part) => {
    const text = part instanceof JsonObject ? (part.get("text") ?? (part.has("text") ? undefined : "")) : undefined;
    if (typeof text !== "string") throw notTaken("content");
    return text;
  });
}

/** Tools as vLLM dumps them, as Harmony prints them. */
export function harmonyTools(tools: readonly JsonObject[] | undefined): readonly HarmonyTool[] {
  return (tools ?? []).map((tool) => {
    const target = tool.get("function");
    if (!(target instanceof JsonObject)) throw notTaken("tools");
    const parameters = optionalObject(target, "parameters");
    return { name: textOf(target, "name"), description: optionalText(target, "description") ?? "", parameters };
  });
}
