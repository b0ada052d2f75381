import type { JsonObject } from "../../json/index.ts";
import { draftTemplateArgs, finishDraft } from "../chat/chat-draft.ts";
import { clientPinsOf } from "../extensions.ts";
import type { ChatParsed } from "../parsed-request.ts";
import { convertResponses } from "../responses/convert-responses.ts";
import { responsesFields } from "../responses/responses-fields.ts";
import { engineExtensions } from "./engine-extensions.ts";
import { Untokenizable } from "./untokenizable.ts";

/** Members that bring text which is not in the body. */
const elsewhere = ["previous_response_id", "prompt", "conversation"] as const;

/**
 * A Responses body for an engine, converted to chat as the Dynamo frontend does.
 * @throws FieldError, Untokenizable
 */
export function engineResponses(root: JsonObject): ChatParsed {
  const request = responsesFields(root, "last");
  const member = elsewhere.find((name) => request[name] !== undefined);
  if (member !== undefined) throw new Untokenizable(`\`${member}\` brings text that is not in the body`);
  const draft = convertResponses(request);
  return {
    api: "responses",
    model: draft.model,
    chat: finishDraft(draft, draftTemplateArgs(draft)),
    extensions: engineExtensions(root),
    clientPins: clientPinsOf(root),
    root,
  };
}
