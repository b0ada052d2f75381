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

/** A prompt in pieces, none empty. */
export interface NativePieces {
  readonly pieces: readonly string[];
  /**
   * Which pieces are signs of the model, tokenized as such; the others are text, whatever it looks like, and each piece is tokenized for itself.
   * Undefined for a prompt that is tokenized as one text.
   */
  readonly areSigns: readonly boolean[] | undefined;
}

/** Builds prompts of one family of models in code, in place of a chat template. */
export interface NativeRenderer {
  /**
   * The prompt, of which a message's text is a piece.
   * @throws TemplateRefusal where the frontend refuses the conversation
   */
  render(request: NativeRequest): NativePieces;
}
