import type { JsonObject } from "../json/index.ts";
import { asList, asShape, type Shape } from "./json-shape.ts";

/** The text of a special token that tokenizer_config.json declares as such or with its flags. */
export function tokenOf(config: JsonObject | undefined, name: string, otherwise: string): string | null {
  const declared = config?.get(name);
  if (declared === undefined) return otherwise;
  if (typeof declared === "string" || declared === null) return declared;
  const content = typeof declared === "object" && "get" in declared ? declared.get("content") : undefined;
  return typeof content === "string" ? content : otherwise;
}

/**
 * The post-processor that transformers makes of `add_bos_token`; undefined when the file has no such token.
 * @param bos null for none
 */
export function postProcessor(file: Shape, bos: string | null): Shape | undefined {
  const text = { Sequence: { id: "A", type_id: 0 } };
  const second = { Sequence: { id: "B", type_id: 1 } };
  if (bos === null) return { type: "TemplateProcessing", single: [text], pair: [text, second], special_tokens: {} };
  const id = idOf(file, bos);
  if (id === undefined) return undefined;
  const token = { SpecialToken: { id: bos, type_id: 0 } };
  return {
    type: "TemplateProcessing",
    single: [token, text],
    pair: [token, text, { SpecialToken: { id: bos, type_id: 1 } }, second],
    special_tokens: { [bos]: { id: bos, ids: [id], tokens: [bos] } },
  };
}

function idOf(file: Shape, token: string): number | undefined {
  const added = asList(file["added_tokens"] ?? [], "added_tokens")
    .map((entry) => asShape(entry, "added_tokens"))
    .find((entry) => entry["content"] === token)?.["id"];
  const vocabulary = asShape(asShape(file["model"], "model")["vocab"] ?? {}, "vocab");
  const id = added ?? (Object.hasOwn(vocabulary, token) ? vocabulary[token] : undefined);
  return typeof id === "number" ? id : undefined;
}
