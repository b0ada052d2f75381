import type { JsonObject } from "../../json/index.ts";
import { clientPinsOf, requestExtensions } from "../extensions.ts";
import type { CompletionsParsed } from "../parsed-request.ts";
import { checkUnknownFields } from "../unknown-fields.ts";
import { checkCompletion } from "./check-completion.ts";
import { completionFieldNames, completionFields } from "./completion-fields.ts";

/**
 * A completions body as the Dynamo frontend takes it.
 * @throws FieldError
 */
export function parseCompletion(root: JsonObject): CompletionsParsed {
  const request = completionFields(root, "refuse");
  checkUnknownFields(root, completionFieldNames);
  checkCompletion(request);
  return {
    api: "completions",
    model: request.model,
    prompt: request.prompt_embeds === undefined ? request.prompt : { kind: "embeds" },
    addSpecialTokens: undefined,
    extensions: requestExtensions(request.nvext, root.get("cache_salt"), request.stream ?? false),
    clientPins: clientPinsOf(root),
    root,
  };
}
