import type { UnsupportedTemplateError } from "../template/index.ts";
import type { ChatStrategy } from "./chat-strategy.ts";

/** The prompts of a template that this engine cannot follow. */
export class UnknownChat implements ChatStrategy {
  readonly #reason: UnsupportedTemplateError;

  constructor(reason: UnsupportedTemplateError) {
    this.#reason = reason;
  }

  /** @throws UnsupportedTemplateError always */
  render(): never {
    throw this.#reason;
  }
}
