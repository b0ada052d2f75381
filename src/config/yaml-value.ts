import type { Document } from "yaml";

/**
 * The value of a YAML document without errors.
 * @throws the error that `unusable` makes of the reason, where an alias names nothing or aliases make too much of little
 */
export function yamlValue(document: Pick<Document, "toJS">, unusable: (reason: string) => Error): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    // The library's message names no place and no value.
    throw Object.assign(unusable(cause instanceof Error ? cause.message : "it has no value"), { cause });
  }
}
