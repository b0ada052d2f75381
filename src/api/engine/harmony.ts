import type { JsonObject } from "../../json/index.ts";
import type { ChatRequest } from "../chat/chat-request.ts";

/** A conversation of gpt-oss in OpenAI's Harmony format. */
export interface HarmonyConversation {
  readonly effort: "low" | "medium" | "high";
  /** Undefined: there is no developer's message for the whole conversation. */
  readonly developer: HarmonyDeveloper | undefined;
  readonly messages: readonly HarmonyMessage[];
}

interface HarmonyDeveloper {
  readonly instructions: string | undefined;
  readonly tools: readonly HarmonyTool[];
}

export interface HarmonyTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject | undefined;
}

export interface HarmonyMessage {
  /** A role, or of a tool its name. */
  readonly author: string;
  readonly recipient?: string;
  readonly channel?: string;
  readonly contentType?: string;
  readonly contents: readonly string[];
}

/** A request of which the Harmony format is all that counts. */
export function harmonyRequest(harmony: HarmonyConversation): ChatRequest {
  return {
    messages: [],
    tools: undefined,
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: undefined,
    addGenerationPrompt: true,
    continueFinalMessage: false,
    addSpecialTokens: false,
    hasMedia: false,
    harmony,
  };
}

/** A call of a function by the assistant. */
export function harmonyCall(name: string, args: string): HarmonyMessage {
  return {
    author: "assistant",
    recipient: `functions.${name}`,
    channel: "commentary",
    contentType: "json",
    contents: [args],
  };
}

/** A text of the assistant's. */
export function harmonyTurn(channel: string | undefined, ...contents: readonly string[]): HarmonyMessage {
  return { author: "assistant", contents, ...(channel === undefined ? {} : { channel }) };
}

/** Instructions between turns. */
export function harmonyInstructions(text: string): HarmonyMessage {
  return { author: "developer", contents: [`# Instructions\n\n${text}`] };
}

/** Without what was thought before the last answer, or before the first one. */
export function withoutThoughts(messages: readonly HarmonyMessage[], answerAt: number): readonly HarmonyMessage[] {
  return messages.filter(({ channel }, at) => at >= answerAt || channel !== "analysis");
}
