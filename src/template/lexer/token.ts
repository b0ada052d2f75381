/** `data` is text outside of tags; `variable` stands for `{{ }}`, `block` for `{% %}`. */
export type TokenType =
  | "data"
  | "variable-begin"
  | "variable-end"
  | "block-begin"
  | "block-end"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "operator"
  | "end";

export interface Token {
  readonly type: TokenType;
  /** Text of data, a name, an operator, or a string with its escapes resolved; digits of a number, without `_`. */
  readonly text: string;
}
