import type { Dialect } from "./dialect.ts";
import { huggingface } from "./huggingface.ts";

/** What transformers adds to jinja2's functions. */
const added: ReadonlySet<string> = new Set(["raise_exception", "strftime_now"]);

/** jinja2@3.1.6 without transformers' own functions, as engines probe templates. */
export const jinja: Dialect = {
  ...huggingface,
  functions: new Map([...huggingface.functions].filter(([name]) => !added.has(name))),
};
