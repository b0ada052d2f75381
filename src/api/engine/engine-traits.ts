/** What of a served model an engine's reading of a request depends on, beside the request. */
export type EngineTraits = VllmTraits | SglangTraits;

export interface VllmTraits {
  readonly name: "vllm";
  /** Messages: the template refuses system messages between turns, so that all are put at the head. */
  readonly mergesInlineSystem: boolean;
  /** Messages: the reasoning effort that stands for thinking turned off. */
  readonly disabledThinkingEffort: "none" | "low";
  /** Chat and Responses go through the Harmony renderer of gpt-oss, which uses no template. */
  readonly usesHarmony: boolean;
}

export interface SglangTraits {
  readonly name: "sglang";
  /** Messages and Responses: the template prints system messages between turns, so that they stay where they are. */
  readonly keepsInlineSystem: boolean;
  /** Messages: how thinking is turned on and off. */
  readonly thinking: SglangThinking;
  /** Messages: the reasoning parser's marks around the thinking of an earlier turn; without a parser it is dropped. */
  readonly thinkMarks: ThinkMarks | "dropped" | "unknown";
  /** Why prompts of Responses are not known; undefined when they are. */
  readonly unknownResponses: string | undefined;
  /** The template gets tools with the members and the order that the client sent; otherwise in one form. */
  readonly showsToolsAsSent: boolean;
  /** Efforts are those of Hunyuan's templates: `no_think`, `low` and `high`, which is the default. */
  readonly usesHunyuanEffort: boolean;
  /** Responses go through the Harmony renderer of gpt-oss, which uses no template. */
  readonly usesHarmony: boolean;
}

export interface ThinkMarks {
  readonly start: string;
  readonly end: string;
}

/**
 * `toggle`: by template arguments. `effort`: by a reasoning effort. `always`: it cannot be turned off. `unsupported`: it cannot be turned
 * on, and is off. `unknown`: what is known of the model does not decide it.
 */
export type SglangThinking =
  | { readonly kind: "toggle"; readonly arguments: readonly string[] }
  | { readonly kind: "effort"; readonly on: string; readonly off: string }
  | { readonly kind: "always" | "unsupported" | "unknown" };

/** Engines whose form of a request is known. */
export type EngineName = EngineTraits["name"];
