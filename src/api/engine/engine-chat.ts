import { JsonObject, type JsonValue } from "../../json/index.ts";
import { finishDraft } from "../chat/chat-draft.ts";
import { chatMessage } from "../chat/messages.ts";
import { clientPinsOf } from "../extensions.ts";
import { anyObject, flag, listOf, optional, required, struct } from "../fields/index.ts";
import type { ChatParsed } from "../parsed-request.ts";
import { engineExtensions, engineModel } from "./engine-extensions.ts";
import { Untokenizable } from "./untokenizable.ts";

const fields = struct({
  messages: required(listOf(chatMessage)),
  tools: optional(listOf(anyObject)),
  chat_template_kwargs: optional(anyObject, "chat_template_args"),
  add_generation_prompt: optional(flag),
  continue_final_message: optional(flag),
  add_special_tokens: optional(flag),
});

/** Request members that engines hand to the template as variables. */
const templateMembers = ["documents", "reasoning_effort"];

/**
 * A chat body for an engine. Tools stay the client's own objects: engines dump them as they came.
 * @throws FieldError, Untokenizable
 */
export function engineChat(root: JsonObject): ChatParsed {
  const request = fields(root, "last");
  if (request.add_special_tokens === true) throw new Untokenizable("`add_special_tokens` changes the prompt");
  const draft = {
    model: engineModel(root) ?? "",
    messages: request.messages,
    tools: undefined,
    toolChoice: undefined,
    templateArgs: undefined,
    thinking: undefined,
    reasoningEffort: undefined,
    addGenerationPrompt: request.add_generation_prompt,
    continueFinalMessage: request.continue_final_message,
  };
  const chat = finishDraft(draft, engineTemplateArgs(root, request.chat_template_kwargs), request.tools);
  return {
    api: "chat",
    model: draft.model,
    chat: { ...chat, toolChoice: root.get("tool_choice") ?? undefined },
    extensions: engineExtensions(root),
    clientPins: clientPinsOf(root),
    root,
  };
}

function engineTemplateArgs(root: JsonObject, kwargs: JsonObject | undefined): JsonObject | undefined {
  const given: (readonly [string, JsonValue])[] = [];
  for (const name of templateMembers) {
    const value = root.get(name) ?? null;
    if (value !== null) given.push([name, value]);
  }
  return given.length === 0 ? kwargs : JsonObject.from([...(kwargs?.entries() ?? []), ...given]);
}
