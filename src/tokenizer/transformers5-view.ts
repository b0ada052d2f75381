import type { JsonObject } from "../json/index.ts";
import type { Shape } from "./json-shape.ts";

/** The tokenizer.json that transformers 5 works with, for classes that it rebuilds. */
export function asTransformers5(file: Shape, _tokenizerConfig: JsonObject | undefined): Shape {
  return file;
}

/** As `asTransformers5`, on the text of the file. */
export function transformers5Json(json: string, tokenizerConfig: JsonObject | undefined): string {
  return JSON.stringify(asTransformers5(JSON.parse(json), tokenizerConfig));
}
