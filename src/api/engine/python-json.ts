import { Buffer } from "node:buffer";
import { JsonSyntaxError, type JsonValue, parseJson } from "../../json/index.ts";
import { Untokenizable } from "./untokenizable.ts";

/** What Python's parsers take beyond JSON, or give up on in another way: then our verdict is not theirs. */
const beyondJson = /NaN|Infinity|\\u[dD][89a-fA-F]|^\uFEFF/;

/** Python gives up at some thousand levels, by an error of another kind. */
const MAX_DEPTH = 900;

/**
 * The value of a JSON text within a body; undefined when it is none.
 * @throws Untokenizable when a Python engine may see it otherwise
 */
export function pythonJson(text: string): JsonValue | undefined {
  try {
    return parseJson(Buffer.from(text), { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (beyondJson.test(text) || nesting(text) >= MAX_DEPTH) {
      throw new Untokenizable("JSON text that Python reads in its own way", { cause: error });
    }
    return undefined;
  }
}

/** An upper bound of how deep the text nests. */
function nesting(text: string): number {
  let opened = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x5b || unit === 0x7b) opened++;
  }
  return opened;
}
