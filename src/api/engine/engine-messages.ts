import { JsonObject, type JsonValue } from "../../json/index.ts";
import { finishDraft } from "../chat/chat-draft.ts";
import type { ChatMessage } from "../chat/messages.ts";
import type { ToolChoice } from "../chat/tools.ts";
import { clientPinsOf } from "../extensions.ts";
import { anyObject, anyValue, listOf, optional, required, struct, text } from "../fields/index.ts";
import { messagesMessage, systemPrompt } from "../messages/messages-fields.ts";
import { messagesToolChoice } from "../messages/tools.ts";
import type { ChatParsed } from "../parsed-request.ts";
import { engineExtensions, engineModel } from "./engine-extensions.ts";
import type { EngineName } from "./engine-traits.ts";
import { sglangMessages } from "./sglang-messages.ts";
import { Untokenizable } from "./untokenizable.ts";
import { vllmMessages } from "./vllm-messages.ts";

const fields = struct({
  messages: required(listOf(messagesMessage)),
  system: optional(systemPrompt),
  tools: optional(listOf(anyObject)),
  tool_choice: optional(messagesToolChoice),
  thinking: optional(struct({ type: required(text) })),
  output_config: optional(anyValue),
  chat_template_kwargs: optional(anyObject),
});

/** A Messages body for an engine, once read. */
export type EngineMessages = ReturnType<typeof fields>;

/** An engine's own way to make a chat conversation of it. */
export type ConvertMessages = (request: EngineMessages) => readonly ChatMessage[];

const converters: Readonly<Record<EngineName, ConvertMessages>> = { vllm: vllmMessages, sglang: sglangMessages };

/**
 * A Messages body for an engine, converted to chat as that engine does. What its conversion makes depend on its own settings, or
 * is not known of it, is routed by load.
 * @throws FieldError, Untokenizable
 */
export function engineMessages(root: JsonObject, engine: EngineName | undefined): ChatParsed {
  if (engine === undefined) throw new Untokenizable("the engine's form of Messages is not known here");
  const request = fields(root, "last");
  const draft = {
    model: engineModel(root) ?? "",
    messages: converters[engine](request),
    tools: undefined,
    toolChoice: toolChoice(request),
    templateArgs: undefined,
    thinking: undefined,
    reasoningEffort: undefined,
    addGenerationPrompt: undefined,
    continueFinalMessage: undefined,
  };
  const tools = request.tools?.map(functionTool);
  return {
    api: "messages",
    model: draft.model,
    chat: finishDraft(draft, templateArgs(request, engine), tools?.length === 0 ? undefined : tools),
    extensions: engineExtensions(root),
    clientPins: clientPinsOf(root),
    root,
  };
}

function toolChoice({ tool_choice, tools }: EngineMessages): ToolChoice | undefined {
  return tool_choice ?? (tools === undefined || tools.length === 0 ? undefined : "auto");
}

/** Description and schema as they came; without either the engine's dump of the tool is not known. */
function functionTool(tool: JsonObject): JsonObject {
  const type = tool.get("type") ?? "custom";
  const [name, description, parameters] = ["name", "description", "input_schema"].map((key) => tool.get(key));
  if (type !== "custom" || typeof name !== "string") throw new Untokenizable("a server tool is not known here");
  if (typeof description !== "string" || !(parameters instanceof JsonObject)) {
    throw new Untokenizable("a tool without description or schema is not known here");
  }
  const definition = JsonObject.from([
    ["name", name],
    ["description", description],
    ["parameters", parameters],
  ]);
  return JsonObject.from([
    ["type", "function"],
    ["function", definition],
  ]);
}

/** vLLM hands the effort to the template; what else switches thinking depends on the model's parser. */
function templateArgs(request: EngineMessages, engine: EngineName): JsonObject | undefined {
  const { thinking, output_config: config, chat_template_kwargs: kwargs } = request;
  const effort: JsonValue = config instanceof JsonObject ? (config.get("effort") ?? null) : null;
  const isOwnSwitch = engine === "vllm" ? thinking?.type === "disabled" : thinking !== undefined || effort !== null;
  if (isOwnSwitch) throw new Untokenizable("how the engine switches thinking is not known here");
  if (effort === null) return kwargs;
  return JsonObject.from([...(kwargs?.entries() ?? []), ["reasoning_effort", effort]]);
}
