import type { JsonNumber } from "./json-number.ts";
import type { JsonObject } from "./json-object.ts";

/** A parsed JSON value. Strings hold no lone surrogates, numbers keep their digits, objects their order. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** A half-open range of bytes in a body. */
export interface ByteSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}
