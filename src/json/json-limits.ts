/** What a body may hold beyond JSON's grammar, or may not although it is within it. */
export interface JsonLimits {
  /** Deepest nesting of arrays and objects, 1 <= n <= 1024; default 512. One level deeper is refused. */
  readonly maxDepth?: number;
  /** Refuses numbers beyond the range of a double (`1e400`), as serde_json does. Default false: digits are kept anyway. */
  readonly finiteNumbers?: boolean;
  /** Takes raw control characters inside strings for themselves (dynamo@1.6.1 http/service/openai.rs). Default false: refused. */
  readonly rawControlCharacters?: boolean;
}

/** Largest `maxDepth`: a recursive reader of the value stays far from the end of the stack. */
export const MAX_JSON_DEPTH = 1024;
