import type { JsonObject } from "../../json/index.ts";
import { checkDraft, checkDraftForModel, draftTemplateArgs, finishDraft } from "../chat/chat-draft.ts";
import { checkResponseFormat } from "../chat/check-chat.ts";
import { clientPinsOf, requestExtensions } from "../extensions.ts";
import { refusal } from "../fields/index.ts";
import type { ChatParsed, ParseOptions } from "../parsed-request.ts";
import { checkOutputTokens, checkTemperature } from "../sampling.ts";
import { convertResponses } from "./convert-responses.ts";
import { responsesFields } from "./responses-fields.ts";
import { unimplementedField } from "./unsupported-fields.ts";

/**
 * A Responses body as the Dynamo frontend takes it: read, checked, converted to chat, and checked again as chat.
 * @throws FieldError (400), RoutingError not_implemented (501)
 */
export function parseResponses(root: JsonObject, options: Pick<ParseOptions, "checkModel">): ChatParsed {
  const request = responsesFields(root, "refuse");
  const unimplemented = unimplementedField(request);
  if (unimplemented !== undefined) throw refusal(unimplemented, "is not supported", "not_implemented");
  checkTemperature(request);
  checkOutputTokens("max_output_tokens", request.max_output_tokens);
  checkResponseFormat(request.text?.format, "text.format");
  const draft = convertResponses(request);
  const templateArgs = draftTemplateArgs(draft);
  checkDraft(draft);
  options.checkModel?.(draft.model);
  checkDraftForModel(draft);
  return {
    api: "responses",
    model: draft.model,
    chat: finishDraft(draft, templateArgs),
    extensions: requestExtensions(request.nvext, undefined, request.stream ?? false),
    clientPins: clientPinsOf(root),
    root,
  };
}
