import type { ComposedBody } from "../parity/bodies/body.ts";
import { composeBody } from "../parity/bodies/body.ts";

/** A request whose prompt a template makes: the `index`th of a seed, completions left out. */
export function composeTemplateBody(seed: number, index: number, spoilt: number): ComposedBody {
  for (let trial = 0; ; trial++) {
    const body = composeBody(seed, index + trial * 1_000_003, spoilt);
    if (body.path !== "/v1/completions") return body;
  }
}
