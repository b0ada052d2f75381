/** What a reader of a model's files makes of them is not known here: tokens would be a guess. The message says why. */
export class UnknownReading extends Error {
  override readonly name = "UnknownReading";
}
