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
  /** Responses go through the Harmony renderer of gpt-oss, which uses no template. */
  readonly usesHarmony: boolean;
}

/**
 * `toggle`: a template argument. `effort`: the reasoning effort. `always`: it cannot be turned off. `unknown`: what the template says
 * does not decide it.
 */
export type SglangThinking =
  | { readonly kind: "toggle"; readonly argument: string }
  | { readonly kind: "effort" | "always" | "unknown" };

/** Engines whose form of a request is known. */
export type EngineName = EngineTraits["name"];
