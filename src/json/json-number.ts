/** A JSON number that keeps the digits it was written with: `1.0`, `1e5` and a u64 survive a round trip. */
export class JsonNumber {
  /** As in the source: `-0`, `1.0`, `18446744073709551615`. */
  readonly lexeme: string;
  /** Written without fraction and exponent. */
  readonly isInteger: boolean;

  /** @param lexeme a number in JSON's grammar; not checked */
  constructor(lexeme: string, isInteger: boolean = !/[.eE]/.test(lexeme)) {
    this.lexeme = lexeme;
    this.isInteger = isInteger;
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(this.lexeme);
  }

  /** The exact value of an integer. Throws a `SyntaxError` for a fraction or an exponent. */
  toBigInt(): bigint {
    return BigInt(this.lexeme);
  }
}
