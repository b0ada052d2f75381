import type { ChatRequest } from "../api/index.ts";
import type { NativePrompt } from "../template/index.ts";
import type { ChatStrategy, RenderedChat } from "./chat-strategy.ts";
import { renderedToFinalMessage } from "./final-message.ts";
import { frontendArgs } from "./frontend-args.ts";
import type { FrontendSettings } from "./frontend-settings.ts";

/** A conversation that the Dynamo frontend renders in code of its own. */
export class NativeChat implements ChatStrategy {
  readonly #native: NativePrompt;

  readonly #frontend: FrontendSettings;

  constructor(native: NativePrompt, frontend: FrontendSettings) {
    this.#native = native;
    this.#frontend = frontend;
  }

  render(chat: ChatRequest): RenderedChat {
    return renderedToFinalMessage(chat, (marked) =>
      this.#native.renderPieces({ ...marked, templateArgs: frontendArgs(marked, this.#frontend) }),
    );
  }
}
