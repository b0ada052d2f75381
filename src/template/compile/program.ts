import type { JsonObject } from "../../json/index.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { tokenize } from "../lexer/lexer.ts";
import { type Limits, resolveLimits } from "../limits.ts";
import { checkLoopControls, checkNames } from "../parser/check-names.ts";
import { parseTemplate } from "../parser/statements.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";
import { type JsonConversion, jsonConversion } from "../values/json.ts";
import type { Value } from "../values/value.ts";
import { limited } from "../work.ts";
import type { Execute } from "./evaluate.ts";
import { emptySlots, Frame, Render, type Slot } from "./frame.ts";
import { pureMacros } from "./pure-macros.ts";
import { namesSetIn, Scope } from "./scope.ts";
import { StatementCompiler } from "./statements.ts";
import { Symbols } from "./symbols.ts";

/** A template that is compiled once and run for each prompt. */
export class Program {
  readonly #dialect: Dialect;
  readonly #convert: JsonConversion;
  readonly #limits: Required<Limits>;
  readonly #globals: readonly string[];
  readonly #empty: readonly Slot[];
  readonly #run: Execute;

  /** @throws UnsupportedTemplateError when the source cannot be parsed */
  constructor(source: string, dialect: Dialect, limits: Limits | undefined) {
    this.#dialect = dialect;
    this.#convert = jsonConversion(dialect.readNumber);
    this.#limits = resolveLimits(limits);
    const body = parseTemplate(tokenize(source, dialect.syntax), dialect.syntax);
    checkLoopControls(body);
    if (dialect.syntax.isPythonic) checkNames(body, dialect);
    const symbols = dialect.capturesHaveScope ? Symbols.of(body, [], undefined) : undefined;
    const scope = Scope.ofTemplate(namesSetIn(body, dialect.capturesHaveScope), symbols, pureMacros(body));
    this.#run = new StatementCompiler(scope, dialect).body(body);
    this.#globals = scope.globals.names();
    this.#empty = emptySlots(scope.frameSize);
  }

  /** Pieces of the prompt, in order. */
  run(context: JsonObject, now: () => Date): readonly string[] {
    const globals = this.#globals.map((name) => this.#global(context, name));
    const render = new Render(this.#dialect, globals, now, this.#limits);
    limited(this.#limits.maxWork, () => this.#run(new Frame(render, this.#empty, undefined)));
    if (render.isDoubtful) throw new UnsupportedTemplateError("the template recurses too deep");
    return render.pieces;
  }

  #global(context: JsonObject, name: string): Value {
    const given = context.get(name);
    return given === undefined ? this.#dialect.functions.get(name) : this.#convert(given);
  }
}
