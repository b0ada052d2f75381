import type { JsonObject, JsonValue } from "../../json/index.ts";
import { DecisionError } from "../decision-error.ts";
import type { Question } from "../decision-request.ts";
import { readJevBody } from "./jev-schema.ts";
import { textOnly } from "./parse-openai.ts";

/** Controls of SGLang's own API, which a client must not believe to work here. */
const foreignControls = ["temperature", "prompt_format_version", "return_prompt_token_ids"];
const thinkingControls = ["enable_thinking", "thinking"];

/** What a System One body asks, up to the checks that both contracts share. @throws DecisionError */
export function parseJev(body: JsonObject): {
  model: string;
  input: JsonValue;
  questions: readonly Question[];
  templateArgs: JsonObject | undefined;
} {
  if (foreignControls.some((control) => body.has(control))) {
    throw new DecisionError("invalid_request", "unsupported control is not part of the System One schema");
  }
  const { model, state, questions, images, templateArgs } = readJevBody(body);
  if (images > 0) throw textOnly();
  return { model, input: state, questions, templateArgs };
}

/** Thinking is off; a client may say so too. @throws DecisionError unsupported */
export function checkTemplateArgs(args: JsonObject | undefined): void {
  for (const [name, value] of args?.entries() ?? []) {
    if (thinkingControls.includes(name) && value === false) continue;
    throw new DecisionError("unsupported", "only explicit disabled thinking controls are supported");
  }
}
