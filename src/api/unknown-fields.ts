import type { JsonObject, JsonValue } from "../json/index.ts";
import { FieldError, flag, listOf, type Reader, text, u32 } from "./fields/index.ts";

/** Unknown top-level fields that chat and completions hand to the engine (dynamo-llm@1.6.1 validate.rs PASSTHROUGH_EXTRA_FIELDS). */
const passedThrough: ReadonlyMap<string, Reader<unknown>> = new Map<string, Reader<unknown>>([
  ["cache_salt", text],
  ["stop_token_ids", stopTokenIds],
  ["detokenize", flag],
  ["allowed_token_ids", listOf(u32)],
  ["bad_words_token_ids", listOf(listOf(u32))],
  ["logprob_token_ids", listOf(u32)],
]);

const MAX_STOP_TOKEN_IDS = 32;
/** Most of a client's own key that an error repeats, in UTF-16 units. */
const MAX_NAMED_KEY = 64;

/**
 * Refuses top-level fields that the frontend does not know, and wrong types of those it passes through.
 * @throws FieldError
 */
export function checkUnknownFields(root: JsonObject, known: ReadonlySet<string>): void {
  const unknown: string[] = [];
  for (let at = 0; at < root.size; at++) {
    const key = root.keyAt(at);
    if (known.has(key)) continue;
    const read = passedThrough.get(key);
    if (read === undefined) unknown.push(key.slice(0, MAX_NAMED_KEY));
    else checkPassedThrough(key, root.get(key) as JsonValue, read);
  }
  const [first] = unknown;
  if (first !== undefined) throw new FieldError("is not a supported parameter", first);
}

function checkPassedThrough(key: string, value: JsonValue, read: Reader<unknown>): void {
  if (value === null) return;
  try {
    read(value, "last");
  } catch (error) {
    throw error instanceof FieldError ? error.within(key) : error;
  }
}

function stopTokenIds(value: JsonValue): unknown {
  const ids = listOf(u32)(value, "last");
  if (ids.length > MAX_STOP_TOKEN_IDS) throw new FieldError(`has more than ${MAX_STOP_TOKEN_IDS} entries`);
  return ids;
}
