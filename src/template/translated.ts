import { RoutingError } from "../errors/index.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";

/** The error for callers of this module. What fails in the engine itself, as a stack that overflows, says nothing about the server. */
export function translated(cause: unknown): unknown {
  if (cause instanceof TemplateRefusal) {
    return new RoutingError(cause.message, { code: "invalid_request", field: "messages" });
  }
  if (cause instanceof UnsupportedTemplateError) return cause;
  return new UnsupportedTemplateError("the template goes beyond this engine", { cause });
}
