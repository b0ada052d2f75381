import type { JsonObject, JsonValue } from "../../json/index.ts";

/** A conversation for a renderer without template: all in the API's typed form. */
export interface NativeRequest {
  readonly messages: readonly JsonObject[];
  /** As the client sent them, those of `tool_choice: "none"` included. */
  readonly tools: readonly JsonObject[] | undefined;
  /** "none", "auto", "required" or `{type: "function", function: {name}}`. */
  readonly toolChoice: JsonValue | undefined;
  readonly responseFormat: JsonValue | undefined;
  readonly templateArgs: JsonObject | undefined;
  readonly addGenerationPrompt: boolean;
  /** The last message is left open: it must stay the last. */
  readonly continueFinalMessage: boolean;
}

/** Builds prompts of one family of models in code, in place of a chat template. */
export interface NativeRenderer {
  /**
   * The prompt in pieces, of which a message's text is one.
   * @throws TemplateRefusal where the frontend refuses the conversation
   */
  render(request: NativeRequest): readonly string[];
}
