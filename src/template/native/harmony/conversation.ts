import type { JsonObject } from "../../../json/index.ts";

/** A conversation in OpenAI's Harmony format, as gpt-oss knows it. */
export interface HarmonyConversation {
  readonly effort: "low" | "medium" | "high";
  /** Undefined: there is no developer's message for the whole conversation. */
  readonly developer: HarmonyDeveloper | undefined;
  readonly messages: readonly HarmonyMessage[];
}

export interface HarmonyDeveloper {
  readonly instructions: string | undefined;
  readonly tools: readonly HarmonyTool[];
}

export interface HarmonyTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema; undefined for a function without parameters. */
  readonly parameters: JsonObject | undefined;
}

export interface HarmonyMessage {
  /** Of a tool the tool's name stands in its place. */
  readonly author: string;
  readonly recipient?: string | undefined;
  readonly channel?: string | undefined;
  readonly contentType?: string | undefined;
  /** Each is tokenized for itself. */
  readonly contents: readonly string[];
}

/** Where a message's header names its recipient: openai-harmony 0.0.8 before the channel, oss-harmony 0.0.11 behind it. */
export type HarmonyHeader = "recipient-first" | "channel-first";
