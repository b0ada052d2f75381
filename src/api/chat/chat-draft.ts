import { Buffer } from "node:buffer";
import { JsonObject, JsonSyntaxError, type JsonValue, parseJson, serdeObject, serdeValue } from "../../json/index.ts";
import { FieldError, structToJson, toJson } from "../fields/index.ts";
import { normalizeReasoning } from "../reasoning.ts";
import { isBlank } from "../sampling.ts";
import type { ChatRequest } from "./chat-request.ts";
import { checkMedia } from "./check-media.ts";
import { checkToolChoice, checkTools, effectiveTools } from "./check-tools.ts";
import { checkRequiredTools } from "./forced-tools.ts";
import type { ChatMessage } from "./messages.ts";
import { type FunctionTool, type ToolChoice, withToolDefaults } from "./tools.ts";

/** serde_json's limit, which the frontend applies to tool-call arguments as well. */
export const FRONTEND_MAX_DEPTH = 127;

/** The prompt-making part of a chat request, read but not yet checked as a whole. Responses are converted to it. */
export interface ChatDraft {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly FunctionTool[] | undefined;
  readonly toolChoice: ToolChoice | undefined;
  /** Of chat; absent where an API has none, or its prompt does not depend on it. */
  readonly responseFormat?: object | undefined;
  readonly templateArgs: JsonObject | undefined;
  readonly thinking: JsonValue | undefined;
  readonly reasoningEffort: string | undefined;
  readonly addGenerationPrompt: boolean | undefined;
  readonly continueFinalMessage: boolean | undefined;
}

/**
 * Template arguments after reasoning normalisation. The frontend does this before every other check of a request.
 * @throws FieldError
 */
export function draftTemplateArgs(draft: ChatDraft): JsonObject | undefined {
  const args = draft.templateArgs === undefined ? undefined : serdeObject(draft.templateArgs);
  return normalizeReasoning(args, draft.thinking, draft.reasoningEffort);
}

/**
 * What the frontend checks of every conversation, whichever API it came by (dynamo-llm@1.6.1 chat_completions.rs validate).
 * @throws FieldError
 */
export function checkDraft(draft: ChatDraft): void {
  if (draft.messages.length === 0) throw new FieldError("must have at least one message", "messages");
  if (draft.templateArgs?.has("chat_template") === true) {
    throw new FieldError("is not supported", "chat_template_args.chat_template");
  }
  draft.messages.forEach(checkArguments);
  if (isBlank(draft.model)) throw new FieldError("must not be empty", "model");
  const tools = effectiveTools(draft.messages, draft.tools);
  checkTools(tools);
  checkToolChoice(draft.toolChoice, tools);
  if (draft.continueFinalMessage === true && draft.addGenerationPrompt !== false) {
    throw new FieldError("needs `add_generation_prompt` to be false", "continue_final_message");
  }
}

/**
 * What the frontend checks once it has found the model.
 * @throws FieldError
 */
export function checkDraftForModel(draft: ChatDraft): void {
  if (draft.toolChoice === "required") checkRequiredTools(effectiveTools(draft.messages, draft.tools));
  draft.messages.forEach(checkMedia);
}

/** Arguments of earlier tool calls must be the text of a JSON object, or blank. */
function checkArguments(message: ChatMessage, at: number): void {
  message.tool_calls?.forEach((call, callAt) => {
    if (isBlank(call.function.arguments) || isObjectText(call.function.arguments)) return;
    throw new FieldError(
      "must be the text of a JSON object",
      `messages[${at}].tool_calls[${callAt}].function.arguments`,
    );
  });
}

function isObjectText(text: string): boolean {
  try {
    const limits = { maxDepth: FRONTEND_MAX_DEPTH, finiteNumbers: true };
    return parseJson(Buffer.from(text), limits) instanceof JsonObject;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

/**
 * The draft as the template sees it.
 * @param tools tools to render instead of the typed ones: engines dump a client's own objects
 */
export function finishDraft(
  draft: ChatDraft,
  templateArgs: JsonObject | undefined,
  tools: readonly JsonObject[] | undefined = draft.tools?.map((tool) => structToJson(withToolDefaults(tool))),
): ChatRequest {
  const continueFinalMessage = draft.continueFinalMessage ?? false;
  return {
    messages: draft.messages.map(structToJson),
    tools,
    toolChoice: draft.toolChoice === undefined ? undefined : toJson(draft.toolChoice),
    responseFormat: draft.responseFormat === undefined ? undefined : serdeValue(toJson(draft.responseFormat)),
    templateArgs,
    addGenerationPrompt: continueFinalMessage ? false : (draft.addGenerationPrompt ?? true),
    continueFinalMessage,
    addSpecialTokens: false,
    hasMedia: draft.messages.some(hasMediaPart),
  };
}

function hasMediaPart({ content }: ChatMessage): boolean {
  if (typeof content === "string" || content === undefined || content === null) return false;
  return content.some(({ type }) => type !== "text" && type !== "refusal");
}
