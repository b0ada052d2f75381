/** The template refuses its input, as the model's server would. Turned into a `RoutingError` at the module's edge. */
export class TemplateRefusal extends Error {
  override readonly name = "TemplateRefusal";

  /** @param detail text of the template's author; never a client's */
  constructor(detail?: string) {
    super(
      detail === undefined ? "Invalid request: the chat template refuses these messages" : `Invalid request: ${detail}`,
    );
  }
}

/**
 * The prompt cannot be known: the template uses something that this engine does not do exactly as the model's server.
 * Not the client's fault, and no reason to refuse the request.
 */
export class UnsupportedTemplateError extends Error {
  override readonly name = "UnsupportedTemplateError";
}
