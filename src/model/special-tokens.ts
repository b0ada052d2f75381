import { JsonObject, type JsonValue } from "../json/index.ts";

/** Names under which `tokenizer_config.json` declares special tokens. */
const allNames = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"] as const;

/** Those that Dynamo hands to templates, always, None when absent (dynamo-renderer@8.0.3 template/oai.rs). */
const dynamoNames = ["bos_token", "eos_token", "unk_token"] as const;

/** Special tokens as variables of a template: the declared ones for Hugging Face's, three of them, known or not, for Dynamo's. */
export function specialTokenVariables(
  tokenizerConfig: JsonObject,
  isDynamo: boolean,
): readonly (readonly [string, string | null])[] {
  const names = isDynamo ? dynamoNames : allNames;
  const variables = names.map((name) => [name, tokenText(tokenizerConfig.get(name))] as const);
  return isDynamo ? variables : variables.filter(([, text]) => text !== null);
}

/** A token is its text, or an object with the text as `content`. */
function tokenText(token: JsonValue | undefined): string | null {
  const text = token instanceof JsonObject ? token.get("content") : token;
  return typeof text === "string" ? text : null;
}

/** Undefined when none is declared. */
export function bosToken(tokenizerConfig: JsonObject): string | undefined {
  return tokenText(tokenizerConfig.get("bos_token")) ?? undefined;
}
