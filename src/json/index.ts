export type { BodyEdit } from "./body-edit.ts";
export { applyEdit, setMember } from "./body-edit.ts";
export { FieldError, refusal, within } from "./fields/field-error.ts";
export type { DuplicateKeys, Reader } from "./fields/reader.ts";
export {
  anyObject,
  anyValue,
  firstOf,
  flag,
  float32,
  float64,
  i32,
  i64,
  isList,
  listOf,
  oneOf,
  recordOf,
  text,
  textOrList,
  u8,
  u32,
  u64,
} from "./fields/reader.ts";
export type { Field, Fields, StructOf } from "./fields/struct.ts";
export { nullable, nullDefault, optional, required, struct, tagged, withDefault } from "./fields/struct.ts";
export { itemCount } from "./item-count.ts";
export type { JsonLimits } from "./json-limits.ts";
export { MAX_JSON_DEPTH } from "./json-limits.ts";
export { JsonNumber } from "./json-number.ts";
export { JsonObject } from "./json-object.ts";
export type { JsonReaderOptions } from "./json-reader.ts";
export { JsonReader } from "./json-reader.ts";
export { JsonSyntaxError } from "./json-syntax-error.ts";
export type { ByteSpan, JsonValue } from "./json-value.ts";
export { type LiftedObject, liftObject } from "./lift-object.ts";
export type { LiftedArrays, NumberArray } from "./number-arrays.ts";
export { liftNumberArrays } from "./number-arrays.ts";
export { ownStart, ownString } from "./own-string.ts";
export type { ParseJsonOptions } from "./parse.ts";
export { parseJson } from "./parse.ts";
export { editRoot, type RootChanges } from "./root-edits.ts";
export { type RootMember, rootMemberList, rootMembers } from "./root-members.ts";
export { serdeDoubleText, serdeJsonText, serdeJsonTextWith, serdeObject, serdeValue } from "./serde-json-text.ts";
export { JsonStreamError } from "./stream-error.ts";
export { type JsonParts, JsonStreamLexer, jsonTextOf } from "./stream-lexer.ts";
export { stringifyJson } from "./stringify.ts";
export type { TextWeight } from "./text-weight.ts";
