/** Text that is no JSON, or beyond a bound. */
export class JsonStreamError extends Error {
  override readonly name = "JsonStreamError";
}

export function misplaced(): JsonStreamError {
  return new JsonStreamError("something in a place where JSON has none");
}
