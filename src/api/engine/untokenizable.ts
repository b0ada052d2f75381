/** A request that the engine may well serve, but whose tokens cannot be known here; the message says why and holds no content. */
export class Untokenizable extends Error {
  override readonly name = "Untokenizable";
}
