/** A `tokenizer.json` asks for something that this engine does not do exactly; the official one takes it. */
export class UnsupportedFeature extends Error {
  override readonly name = "UnsupportedFeature";
}
