import type { JsonObject } from "../json/index.ts";
import { Program } from "./compile/program.ts";
import type { Dialect, DialectName } from "./dialect/dialect.ts";
import { dynamo } from "./dialect/dynamo.ts";
import { huggingface } from "./dialect/huggingface.ts";
import { jinja } from "./dialect/jinja.ts";
import { wallClock } from "./functions/wall-clock.ts";
import type { Limits } from "./limits.ts";
import { UnsupportedTemplateError } from "./template-errors.ts";
import { translated } from "./translated.ts";

/** The variables that a template sees: `messages`, `tools`, `bos_token` and so on. A missing one is undefined, null is None. */
export type TemplateContext = JsonObject;

/** A compiled chat template. */
export interface ChatTemplate {
  /** The template's text as the dialect reads it, for looking up what it mentions. */
  readonly source: string;
  /**
   * Renders a prompt.
   * @throws RoutingError `invalid_request` where the model's server would refuse the messages too
   * @throws UnsupportedTemplateError where this engine cannot tell what the server makes of them: such a prompt has no known tokens
   */
  render(context: TemplateContext): string;
  /**
   * The prompt in pieces, none empty, whose concatenation is what `render` gives. A text that the template passes through is the
   * string of the context, and a text of the template is the same string in each render, so that what is known of a string can be
   * kept by it. Throws as `render` does.
   */
  renderPieces(context: TemplateContext): readonly string[];
}

export interface TemplateOptions {
  /** Whose Jinja to follow. Default `huggingface`. */
  readonly dialect?: DialectName;
  /** Gives the time for `strftime_now`; default the system's. */
  readonly now?: () => Date;
  /** Whose time `strftime_now` prints: an IANA name, as `Europe/Oslo`. Default: that of the process, as servers have it. */
  readonly timeZone?: string | undefined;
  /** How much one render may do; a render that does more is unsupported. */
  readonly limits?: Limits;
}

const dialects: Readonly<Record<DialectName, Dialect>> = { dynamo, huggingface, jinja };

/**
 * Compiles a template once, for many renders.
 * @throws UnsupportedTemplateError when the source cannot be parsed
 * @throws RangeError for an unknown time zone
 */
export function compileTemplate(source: string, options: TemplateOptions = {}): ChatTemplate {
  const { dialect = "huggingface", now = () => new Date(), timeZone, limits } = options;
  const clock = wallClock(timeZone);
  const rules = dialects[dialect];
  const prepared = rules.prepareSource(source);
  const program = compiled(prepared, rules, limits);
  const renderPieces = (context: TemplateContext): readonly string[] => {
    try {
      return program.run(context, () => clock(now()));
    } catch (cause) {
      throw translated(cause);
    }
  };
  return { source: prepared, renderPieces, render: (context) => renderPieces(context).join("") };
}

function compiled(source: string, dialect: Dialect, limits: Limits | undefined): Program {
  try {
    return new Program(source, dialect, limits);
  } catch (cause) {
    if (cause instanceof UnsupportedTemplateError) throw cause;
    throw new UnsupportedTemplateError("the chat template cannot be compiled", { cause });
  }
}
