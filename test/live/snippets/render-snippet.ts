import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate, type TemplateDialect, UnsupportedTemplateError } from "../../../src/template/index.ts";
import { snippetContext } from "./snippet-context.ts";

const context = parseJson(Buffer.from(snippetContext));

/** What our engine makes of a snippet: its text, undefined where it refuses it, or `unknown` where it does not know. */
export function renderSnippet(
  source: string,
  dialect: TemplateDialect,
): { readonly text: string | undefined } | "unknown" {
  if (!(context instanceof JsonObject)) throw new TypeError("an object expected");
  try {
    return { text: compileTemplate(source, { dialect }).render(context) };
  } catch (error) {
    if (error instanceof RoutingError) return { text: undefined };
    if (error instanceof UnsupportedTemplateError) return "unknown";
    throw error;
  }
}
