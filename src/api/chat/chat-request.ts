import type { JsonObject, JsonValue } from "../../json/index.ts";
import type { HarmonyConversation } from "../engine/harmony.ts";

/** A conversation ready for the chat template. */
export interface ChatRequest {
  /** Typed form: `role` first, members in the API's order, unknown ones dropped, null ones left out. */
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[] | undefined;
  /** "none", "auto", "required" or `{type: "function", function: {name}}`. */
  readonly toolChoice: JsonValue | undefined;
  /** In the API's typed form; undefined when the client left it out. */
  readonly responseFormat: JsonValue | undefined;
  /** Extra variables of the template, with the reasoning controls folded in. */
  readonly templateArgs: JsonObject | undefined;
  /** Ends the prompt with the start of an assistant turn. */
  readonly addGenerationPrompt: boolean;
  /** Leaves the last message open instead. */
  readonly continueFinalMessage: boolean;
  /** The tokenizer adds its BOS and the like to what the template makes. */
  readonly addSpecialTokens: boolean;
  /** Some message has an image, video or audio part. */
  readonly hasMedia: boolean;
  /** What an engine renders in Harmony's format in place of the messages and tools; undefined where the template renders those. */
  readonly harmony?: HarmonyConversation;
}
