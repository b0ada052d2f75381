export type { BodyEdit } from "./body-edit.ts";
export { applyEdit, setMember } from "./body-edit.ts";
export { JsonNumber } from "./json-number.ts";
export { JsonObject } from "./json-object.ts";
export { JsonSyntaxError } from "./json-syntax-error.ts";
export type { ByteSpan, JsonValue } from "./json-value.ts";
export type { JsonLimits } from "./parse.ts";
export { MAX_JSON_DEPTH, parseJson } from "./parse.ts";
export { stringifyJson } from "./stringify.ts";
