/** The engine did not answer, or not to the end. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
}
