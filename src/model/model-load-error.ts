/** A model's files cannot be used. The message names the file. */
export class ModelLoadError extends Error {
  override readonly name = "ModelLoadError";
}
