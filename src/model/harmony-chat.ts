import type { ChatRequest } from "../api/index.ts";
import { type HarmonyHeader, harmonyRenderer, UnsupportedTemplateError } from "../template/index.ts";
import type { ChatStrategy, RenderedChat } from "./chat-strategy.ts";
import type { Engine } from "./profile.ts";

const headers: Readonly<Record<Engine, HarmonyHeader>> = { vllm: "channel-first", sglang: "recipient-first" };

/** A conversation of gpt-oss that an engine renders with OpenAI's Harmony library, not with the template. */
export class HarmonyChat implements ChatStrategy {
  readonly #render: ReturnType<typeof harmonyRenderer>;

  /** @param timeZone whose date prompts have; undefined: that of the process */
  constructor(engine: Engine, timeZone: string | undefined) {
    this.#render = harmonyRenderer({ header: headers[engine], timeZone });
  }

  render({ harmony }: ChatRequest): RenderedChat {
    if (harmony === undefined) throw new UnsupportedTemplateError("a conversation that is not in Harmony's format");
    return this.#render(harmony, new Date());
  }
}
