export { FieldError, refusal, within } from "./field-error.ts";
export type { DuplicateKeys, Reader } from "./reader.ts";
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
} from "./reader.ts";
export type { Field, Fields, StructOf } from "./struct.ts";
export { nullable, nullDefault, optional, required, struct, tagged, withDefault } from "./struct.ts";
export { structToJson, toJson } from "./to-json.ts";
