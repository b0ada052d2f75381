/** A text has no place at which it could be cut, over a length that would hold the thread for too long. */
export class UncuttableText extends Error {
  override readonly name = "UncuttableText";

  constructor(units: number) {
    super(`${units} characters without a place to cut`);
  }
}
