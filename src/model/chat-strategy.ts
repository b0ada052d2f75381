import type { ChatRequest } from "../api/index.ts";
import type { JsonValue } from "../json/index.ts";

/** A conversation as text. */
export interface RenderedChat {
  /** What is long in one is the string of the message itself. */
  readonly pieces: readonly string[];
  /**
   * Which pieces are signs of the model, tokenized as such; the others are text, whatever it looks like, and each piece is tokenized for itself.
   * Undefined for a prompt that is tokenized as one text.
   */
  readonly areSigns: readonly boolean[] | undefined;
  /** Text put behind the prompt whose tokens are made apart from the prompt's. */
  readonly continuation?: string;
}

/** Variables that every render of a model has. */
export type Variables = readonly (readonly [string, JsonValue])[];

/** A conversation's way to its prompt at one backend. */
export interface ChatStrategy {
  /**
   * @throws RoutingError when the backend would refuse the messages
   * @throws UnsupportedTemplateError when the prompt cannot be known
   */
  render(chat: ChatRequest): RenderedChat;
}
