import type { ChatRequest } from "../api/index.ts";
import type { JsonObject, JsonValue } from "../json/index.ts";
import type { Message } from "./messages.ts";

/** A conversation as text. */
export interface RenderedChat {
  readonly pieces: readonly string[];
  /**
   * Which pieces are signs of the model, tokenized as such; the others are text, whatever it looks like, and each piece is tokenized for itself.
   * Undefined for a prompt that is tokenized as one text.
   */
  readonly areSigns: readonly boolean[] | undefined;
}

/** Variables that every render of a model has. */
export type Variables = readonly (readonly [string, JsonValue])[];

/** A template with what one backend does to a conversation before it renders it. */
export interface ChatStrategy {
  /** @throws RoutingError for messages that the backend refuses before rendering */
  shape(messages: readonly Message[]): readonly Message[];
  /** All variables of the render. */
  context(chat: ChatRequest, messages: readonly Message[], tools: readonly JsonObject[] | undefined): JsonObject;
}
