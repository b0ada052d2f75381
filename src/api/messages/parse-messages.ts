import { JsonObject, type JsonValue } from "../../json/index.ts";
import { checkDraft, checkDraftForModel, finishDraft } from "../chat/chat-draft.ts";
import { clientPinsOf, nvext, requestExtensions } from "../extensions.ts";
import { FieldError, refusal, within } from "../fields/index.ts";
import type { ChatParsed, ParseOptions } from "../parsed-request.ts";
import { checkOutputTokens, checkRange, checkSampling, isBlank } from "../sampling.ts";
import { convertMessages } from "./convert-messages.ts";
import { type MessagesFields, messagesFields } from "./messages-fields.ts";
import { thinkingArgs } from "./thinking-args.ts";

/**
 * A Messages body as the Dynamo frontend takes it: read, converted to chat, and checked as chat (dynamo-llm@1.6.1
 * http/service/anthropic.rs). The reasoning controls of chat do not exist here.
 * @throws FieldError (400), RoutingError unknown_model (404)
 */
export function parseMessages(
  root: JsonObject,
  options: Pick<ParseOptions, "checkModel" | "hasReasoningParser">,
): ChatParsed {
  const request = messagesFields(root, "refuse");
  if (request.messages.length === 0) throw new FieldError("must have at least one message", "messages");
  checkRange("max_tokens", request.max_tokens, 1, Number.POSITIVE_INFINITY);
  if (isBlank(request.model)) throw refusal("model", "must not be empty", "unknown_model");
  options.checkModel?.(request.model);
  const envelope =
    request.nvext === undefined ? undefined : within("nvext", () => nvext(request.nvext ?? null, "last"));
  checkOutputTokens("max_tokens", request.max_tokens);
  checkOutputFormat(request.output_config);
  const draft = convertMessages(request);
  asSent(() => {
    checkDraft(draft);
    checkDraftForModel(draft);
    checkSampling(samplingOf(request));
  });
  return {
    api: "messages",
    model: request.model,
    chat: finishDraft(
      draft,
      thinkingArgs(request.thinking?.type, options.hasReasoningParser?.(request.model) ?? false),
    ),
    extensions: requestExtensions(envelope, undefined, request.stream),
    clientPins: clientPinsOf(root),
    root,
  };
}

function samplingOf({
  temperature,
  top_p,
  top_k,
  stop_sequences,
}: MessagesFields): Parameters<typeof checkSampling>[0] {
  return {
    temperature,
    top_p,
    // The frontend casts it to 32 bits with a sign.
    top_k: top_k === undefined ? undefined : top_k | 0,
    stop: stop_sequences?.length === 0 ? undefined : stop_sequences,
  };
}

/** Structured output needs a schema; the rest of the configuration is ignored. */
function checkOutputFormat(config: JsonValue | undefined): void {
  const format = config instanceof JsonObject ? (config.get("format") ?? undefined) : undefined;
  if (format === undefined) return;
  const path = "output_config.format";
  if (!(format instanceof JsonObject) || format.get("type") !== "json_schema") {
    throw new FieldError("must be json_schema", `${path}.type`);
  }
  if (!(format.get("schema") instanceof JsonObject)) throw new FieldError("must be an object", `${path}.schema`);
}

/** Names of chat members, and where a Messages body has them. */
const sentAs: readonly (readonly [RegExp, string])[] = [
  [/^(tools\[\d+\])\.function\.parameters/, "$1.input_schema"],
  [/^(tools\[\d+\])\.function/, "$1"],
  [/^stop\b/, "stop_sequences"],
];

/** Checks of chat, whose errors name the member that the client sent. */
function asSent(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw error.at(sentAs.reduce((path, [from, to]) => path.replace(from, to), error.path));
  }
}
