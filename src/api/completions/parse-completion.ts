import type { JsonObject } from "../../json/index.ts";
import { clientPinsOf, requestExtensions } from "../extensions.ts";
import type { CompletionsParsed, ParseOptions } from "../parsed-request.ts";
import { checkUnknownFields } from "../unknown-fields.ts";
import { checkCompletion } from "./check-completion.ts";
import { type CompletionFields, completionFieldNames, completionFields } from "./completion-fields.ts";
import { type CompletionPrompt, promptCount } from "./prompt.ts";

/**
 * A completions body as the Dynamo frontend takes it.
 * @throws FieldError
 */
export function parseCompletion(root: JsonObject, options: Pick<ParseOptions, "checkModel">): CompletionsParsed {
  const request = completionFields(root, "refuse");
  checkUnknownFields(root, completionFieldNames);
  checkCompletion(request);
  options.checkModel?.(request.model);
  return {
    api: "completions",
    model: request.model,
    prompt: request.prompt_embeds === undefined ? request.prompt : embedsOf(request),
    addSpecialTokens: undefined,
    extensions: requestExtensions(request.nvext, root.get("cache_salt"), request.stream ?? false),
    clientPins: clientPinsOf(root),
    root,
  };
}

/** The tensor stands in for whatever prompt is there, once for each entry of a batch. */
function embedsOf({ prompt }: CompletionFields): CompletionPrompt {
  return { kind: "embeds", prompts: promptCount(prompt) };
}
