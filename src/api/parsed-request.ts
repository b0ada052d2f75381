import type { JsonObject, JsonReader } from "../json/index.ts";
import type { ChatRequest } from "./chat/chat-request.ts";
import type { CompletionPrompt } from "./completions/prompt.ts";
import type { EngineTraits } from "./engine/engine-traits.ts";
import type { RequestExtensions } from "./extensions.ts";
import type { RequestApi } from "./path.ts";

type PromptApi = Exclude<RequestApi, "promptless">;

/** Whose rules decide what a request may hold: the Dynamo frontend's, or (looser) those of an engine's own server. */
export type Dialect = "dynamo" | "engine";

export interface ParseOptions {
  readonly dialect: Dialect;
  /** Dialect by the body's model name, where models differ; undefined for a name leaves `dialect`. */
  readonly dialectOf?: (model: string) => Dialect | undefined;
  /** The engine's ways with the body's model, for the engine dialect; absent, undefined or not known yet routes requests by load. */
  readonly engineOf?: (model: string) => EngineTraits | WithoutEngine | undefined;
  /**
   * Whether a model of the Dynamo dialect is served with a reasoning parser: its frontend then turns thinking on for Messages that
   * do not turn it off. Absent means no.
   */
  readonly hasReasoningParser?: (model: string) => boolean;
  /**
   * Called in the Dynamo dialect where its frontend looks the model up: what it checks of a request after that does not matter for a
   * model that it does not have. May throw; absent takes every model.
   */
  readonly checkModel?: (model: string) => void;
  /** Refuses, on an unknown path, bodies with neither `messages` nor `prompt`, as Dynamo's picker does, instead of routing them by load. */
  readonly refuseUnknownShapes: boolean;
  /** Reads the bodies and keeps their long strings; absent = the one that all share. */
  readonly reader?: JsonReader;
  /** Deepest nesting of a body, >= 1; more than 1024 means 1024. The Dynamo dialect takes at most 127, as its frontend does. */
  readonly maxDepth: number;
}

/** A conversation, sent as chat, as Responses or as Messages. */
export interface ChatParsed {
  readonly api: "chat" | "responses" | "messages";
  /** "" when a body of the engine dialect names none. */
  readonly model: string;
  readonly chat: ChatRequest;
  readonly extensions: RequestExtensions;
  readonly clientPins: readonly string[];
  readonly root: JsonObject;
}

/** A prompt to complete. */
export interface CompletionsParsed {
  readonly api: "completions";
  readonly model: string;
  readonly prompt: CompletionPrompt;
  /** The body's own wish (engine dialect only); undefined leaves it to the profile. */
  readonly addSpecialTokens: boolean | undefined;
  readonly extensions: RequestExtensions;
  readonly clientPins: readonly string[];
  readonly root: JsonObject;
}

/** Why a request is routed by load while its model is loaded. */
export const modelLoadingReason = "the model is being loaded";
export const loadOnlyModelReason = "load-only model";
export const unknownModelReason = "unknown model";

/** Models whose engine says nothing of a request: one that is being loaded, one that is set to be placed by load, and one that is not served. */
export type WithoutEngine = "loading" | "load-only" | "unknown";

/** A request without a prompt that can be tokenized here: routed by load, its body untouched. */
export interface PromptlessParsed {
  readonly api: "promptless";
  readonly model: string | undefined;
  /** Why, for metrics and explanations; names fields, holds no content. */
  readonly reason: string;
  /** The API of a prompt that cannot be read before its model is loaded; absent = there is none of ours. */
  readonly awaitedApi?: PromptApi | undefined;
  /** Names of body fields that choose a worker; [] when the body is no JSON object. */
  readonly clientPins: readonly string[];
  /** The body, where it is a JSON object. */
  readonly root: JsonObject | undefined;
}

export type ParsedRequest = ChatParsed | CompletionsParsed | PromptlessParsed;

/** A request routed by load. */
export function promptless(
  reason: string,
  model: string | undefined,
  clientPins: readonly string[],
  root?: JsonObject,
): PromptlessParsed {
  return { api: "promptless", model, reason, clientPins, root };
}
