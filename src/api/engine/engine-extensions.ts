import type { JsonObject } from "../../json/index.ts";
import { type NvExt, nvext, type RequestExtensions, requestExtensions } from "../extensions.ts";
import { FieldError } from "../fields/index.ts";

/** Model name of the body; undefined when it has none. */
export function engineModel(root: JsonObject): string | undefined {
  const model = root.get("model");
  return typeof model === "string" ? model : undefined;
}

/** Engines ignore `nvext`, so one that cannot be read is left alone. */
export function engineExtensions(root: JsonObject): RequestExtensions {
  return requestExtensions(readNvext(root), root.get("cache_salt"), root.get("stream") === true);
}

function readNvext(root: JsonObject): NvExt | undefined {
  const value = root.get("nvext");
  if (value === undefined || value === null) return undefined;
  try {
    return nvext(value, "last");
  } catch (error) {
    if (error instanceof FieldError) return undefined;
    throw error;
  }
}
