import { type ChatParsed, type CompletionsParsed, type EngineTraits, modelLoadingReason } from "../api/index.ts";
import type { Model, TokenizeStages } from "./model.ts";
import type { Profile } from "./profile.ts";
import type { ScoringPrompts } from "./scoring-prompts.ts";
import {
  deferredPrompt,
  noEngineReason,
  type PromptHead,
  type TokenizedPrompt,
  unknownPrompt,
} from "./tokenized-prompt.ts";

/** A model that is served while it is loaded: by load until then. */
export class LateModel {
  readonly profile: Profile;
  readonly blockSize: number;
  #model: Model | undefined;
  #defersAll = false;

  constructor(profile: Profile, blockSize: number) {
    this.profile = profile;
    this.blockSize = blockSize;
  }

  /** The model has been loaded. */
  set(model: Model): void {
    this.#model = model;
  }

  /** From here on every prompt is deferred. */
  deferAll(): void {
    this.#defersAll = true;
  }

  /** As `Model.engine`, once the model is loaded. */
  get engine(): EngineTraits | "loading" | undefined {
    return this.#model === undefined ? "loading" : this.#model.engine;
  }

  /** Whether prompts are tokenized here at all, once the model is loaded. */
  get hasEngine(): boolean {
    return !this.#defersAll && this.#model?.hasEngine !== false;
  }

  /** As `Model.scoring`; undefined until the model is loaded. */
  get scoring(): ScoringPrompts | undefined {
    return this.#defersAll ? undefined : this.#model?.scoring;
  }

  /** As `Model.tokenize`. */
  tokenize(
    request: ChatParsed | CompletionsParsed,
    stages?: TokenizeStages,
  ): TokenizedPrompt | Promise<TokenizedPrompt> {
    if (this.#model === undefined) return unknownPrompt(modelLoadingReason);
    return this.#defersAll ? deferredPrompt(noEngineReason) : this.#model.tokenize(request, stages);
  }

  /** As `Model.remember`. */
  remember(head: PromptHead, tokenIds: Uint32Array): void {
    if (!this.#defersAll) this.#model?.remember(head, tokenIds);
  }
}
