import type { JsonObject } from "../../json/index.ts";
import { completionPrompt } from "../completions/prompt.ts";
import { clientPinsOf } from "../extensions.ts";
import { flag, optional, struct, text } from "../fields/index.ts";
import type { CompletionsParsed } from "../parsed-request.ts";
import { engineExtensions, engineModel } from "./engine-extensions.ts";

const fields = struct({
  prompt: optional(completionPrompt),
  prompt_embeds: optional(text),
  add_special_tokens: optional(flag),
});

/**
 * A completions body for an engine.
 * @throws FieldError
 */
export function engineCompletion(root: JsonObject): CompletionsParsed {
  const request = fields(root, "last");
  return {
    api: "completions",
    model: engineModel(root) ?? "",
    prompt:
      request.prompt === undefined || request.prompt_embeds !== undefined
        ? { kind: "embeds", prompts: 1 }
        : request.prompt,
    addSpecialTokens: request.add_special_tokens,
    extensions: engineExtensions(root),
    clientPins: clientPinsOf(root),
    root,
  };
}
