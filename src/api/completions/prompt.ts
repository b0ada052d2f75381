import type { JsonValue } from "../../json/index.ts";
import { FieldError, isList, listOf, type Reader, text, u32 } from "../fields/index.ts";

/** What is to be completed. Lists keep their order; none is empty in the Dynamo dialect. */
export type CompletionPrompt =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "ids"; readonly ids: Uint32Array }
  | { readonly kind: "id-lists"; readonly lists: readonly Uint32Array[] }
  /** A tensor in place of each of so many prompts. */
  | { readonly kind: "embeds"; readonly prompts: number };

/** Text, texts, token ids or lists of token ids; [] counts as texts (async-openai@0.42.3 Prompt, tried in that order). */
export const completionPrompt: Reader<CompletionPrompt> = (value, duplicates) => {
  if (typeof value === "string") return { kind: "text", text: value };
  if (!isList(value)) throw new FieldError("must be a string, an array of strings, or token ids");
  const [first] = value;
  if (first === undefined || typeof first === "string")
    return { kind: "texts", texts: listOf(text)(value, duplicates) };
  if (isList(first)) return { kind: "id-lists", lists: listOf(idList)(value, duplicates) };
  return { kind: "ids", ids: idList(value, duplicates) };
};

const idList: Reader<Uint32Array> = (value: JsonValue, duplicates) => Uint32Array.from(listOf(u32)(value, duplicates));

/** @throws FieldError for an empty prompt, or an empty one in a batch */
export function checkPrompt(prompt: CompletionPrompt): void {
  const entries = entriesOf(prompt);
  if (entries.length === 0) throw new FieldError("must not be empty", "prompt");
  const empty = entries.findIndex((entry) => entry.length === 0);
  if (empty === -1) return;
  const isBatch = prompt.kind === "texts" || prompt.kind === "id-lists";
  throw new FieldError("must not be empty", isBatch ? `prompt[${empty}]` : "prompt");
}

/** What is to be completed, one entry a prompt. */
function entriesOf(prompt: CompletionPrompt): readonly { readonly length: number }[] {
  switch (prompt.kind) {
    case "text":
      return [prompt.text];
    case "texts":
      return prompt.texts;
    case "ids":
      return [prompt.ids];
    case "id-lists":
      return prompt.lists;
    case "embeds":
      return Array.from({ length: prompt.prompts }, () => "tensor");
  }
}

/** Prompts in the request: each is answered by itself. */
export function promptCount(prompt: CompletionPrompt): number {
  return entriesOf(prompt).length;
}
