import type { ChatRequest } from "../api/index.ts";
import type { NativePrompt } from "../template/index.ts";
import type { ChatStrategy, RenderedChat } from "./chat-strategy.ts";
import { renderedToFinalMessage } from "./final-message.ts";
import { withThinkingAliases } from "./thinking-args.ts";

/** A conversation that the Dynamo frontend renders in code of its own. */
export class NativeChat implements ChatStrategy {
  readonly #native: NativePrompt;

  constructor(native: NativePrompt) {
    this.#native = native;
  }

  render(chat: ChatRequest): RenderedChat {
    return renderedToFinalMessage(chat, (marked) =>
      this.#native.renderPieces({ ...marked, templateArgs: withThinkingAliases(marked.templateArgs) }),
    );
  }
}
