import { RoutingError } from "../errors/index.ts";
import type { JsonObject } from "../json/index.ts";
import type { TemplateDialect } from "./dialect.ts";
import { parseTemplate } from "./engine.ts";
import { TemplateInterpreter } from "./interpreter.ts";
import type { Node } from "./nodes.ts";
import { markOutputs } from "./output-nodes.ts";
import { isString } from "./runtime-values.ts";
import { globalScope } from "./scope.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";

/** The variables that a template sees: `messages`, `tools`, `bos_token` and so on. A missing one is undefined, null is None. */
export type TemplateContext = JsonObject;

/** A compiled chat template. */
export interface ChatTemplate {
  /** The template's text, for looking up what it mentions. */
  readonly source: string;
  /**
   * Renders a prompt.
   * @throws RoutingError `invalid_request` where the model's server would refuse the messages too
   * @throws UnsupportedTemplateError where this engine cannot tell what the server makes of them: such a prompt has no known tokens
   */
  render(context: TemplateContext): string;
}

export interface TemplateOptions {
  /** Whose Jinja to follow. Default `huggingface`. */
  readonly dialect?: TemplateDialect;
  /** Gives the time for `strftime_now`, in local time; default the system's. */
  readonly now?: () => Date;
}

/**
 * Compiles a template once, for many renders.
 * @throws UnsupportedTemplateError when the source cannot be parsed
 */
export function compileTemplate(source: string, options: TemplateOptions = {}): ChatTemplate {
  const { dialect = "huggingface", now = () => new Date() } = options;
  const program = parseProgram(source);
  return {
    source,
    render(context) {
      try {
        const interpreter = new TemplateInterpreter(globalScope(context, dialect, now), dialect);
        const output = interpreter.run(program);
        if (!isString(output)) throw new UnsupportedTemplateError("the template gives no text");
        return output.value;
      } catch (cause) {
        throw translated(cause);
      }
    },
  };
}

function parseProgram(source: string): Node {
  try {
    const program = parseTemplate(source);
    markOutputs(program);
    return program;
  } catch (cause) {
    throw new UnsupportedTemplateError("the chat template cannot be parsed", { cause });
  }
}

/** The engine's own errors say nothing about the server: it may well know what this engine does not. */
function translated(cause: unknown): unknown {
  if (cause instanceof TemplateRefusal) {
    return new RoutingError(cause.message, { code: "invalid_request", field: "messages" });
  }
  if (cause instanceof UnsupportedTemplateError) return cause;
  return new UnsupportedTemplateError("the template uses what this engine does not know", { cause });
}
