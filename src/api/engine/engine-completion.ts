import type { JsonObject } from "../../json/index.ts";
import { type CompletionPrompt, completionPrompt } from "../completions/prompt.ts";
import { clientPinsOf } from "../extensions.ts";
import type { CompletionsParsed } from "../parsed-request.ts";
import { engineExtensions, engineModel } from "./engine-extensions.ts";
import type { EngineName } from "./engine-traits.ts";
import { flagOr, given, notTaken, refuseNullStream } from "./members.ts";
import { Untokenizable } from "./untokenizable.ts";
import { checkWholePrompt } from "./vllm/vllm-chat.ts";

/**
 * A completions body for an engine (vllm@0.33.0 CompletionRequest, sglang@0.5.23 serving_completions.py). Special tokens are added to
 * text; only vLLM lets the client turn that off.
 * @throws FieldError, Untokenizable
 */
export function engineCompletion(root: JsonObject, engine: EngineName): CompletionsParsed {
  const prompt = engine === "vllm" ? vllmPrompt(root) : sglangPrompt(root);
  return {
    api: "completions",
    model: engineModel(root) ?? "",
    prompt,
    addSpecialTokens: engine === "vllm" ? flagOr(root, "add_special_tokens", true) : true,
    extensions: engineExtensions(root),
    clientPins: clientPinsOf(root),
    root,
  };
}

/** Embeddings stand beside the prompt or in its place. A suffix is only taken for models that fill in the middle. */
function vllmPrompt(root: JsonObject): CompletionPrompt {
  checkWholePrompt(root);
  if (given(root, "prompt_embeds") !== undefined) throw new Untokenizable("`prompt_embeds` brings the prompt");
  if (given(root, "suffix") !== undefined) throw new Untokenizable("`suffix` changes the prompt");
  const prompt = completionPrompt(given(root, "prompt") ?? "", "last");
  const isEmpty = prompt.kind === "text" ? prompt.text === "" : sizeOf(prompt) === 0;
  if (isEmpty || hasEmptyIds(prompt)) throw notTaken("prompt");
  return prompt;
}

/** Texts and ids that are all empty, or 0, count as no prompt. */
function sglangPrompt(root: JsonObject): CompletionPrompt {
  refuseNullStream(root);
  const prompt = completionPrompt(given(root, "prompt") ?? "", "last");
  if (isBlank(prompt) || hasEmptyIds(prompt)) throw notTaken("prompt");
  return prompt;
}

function isBlank(prompt: CompletionPrompt): boolean {
  switch (prompt.kind) {
    case "text":
      return prompt.text === "";
    case "texts":
      return prompt.texts.every((text) => text === "");
    case "ids":
      return prompt.ids.every((id) => id === 0);
    case "id-lists":
      return prompt.lists.every((ids) => ids.length === 0);
    case "embeds":
      return false;
  }
}

/** Prompts, or ids of one. */
function sizeOf(prompt: Exclude<CompletionPrompt, { kind: "text" }>): number {
  if (prompt.kind === "texts") return prompt.texts.length;
  if (prompt.kind === "ids") return prompt.ids.length;
  return prompt.kind === "id-lists" ? prompt.lists.length : 0;
}

/** The engines' schedulers refuse a prompt without tokens. */
function hasEmptyIds(prompt: CompletionPrompt): boolean {
  return prompt.kind === "id-lists" && prompt.lists.some((ids) => ids.length === 0);
}
