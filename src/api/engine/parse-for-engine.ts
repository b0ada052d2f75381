import { JsonObject } from "../../json/index.ts";
import type { ChatRequest } from "../chat/chat-request.ts";
import { clientPinsOf } from "../extensions.ts";
import { FieldError, isList } from "../fields/index.ts";
import {
  loadOnlyModelReason,
  modelLoadingReason,
  type ParsedRequest,
  type PromptlessParsed,
  promptless,
  unknownModelReason,
  type WithoutEngine,
} from "../parsed-request.ts";
import type { RequestApi } from "../path.ts";
import { engineCompletion } from "./engine-completion.ts";
import { engineExtensions, engineModel } from "./engine-extensions.ts";
import type { EngineTraits, SglangTraits, VllmTraits } from "./engine-traits.ts";
import { sglangChat } from "./sglang/sglang-chat.ts";
import { sglangGenerate } from "./sglang/sglang-generate.ts";
import { sglangMessagesRequest } from "./sglang/sglang-messages.ts";
import { sglangResponses } from "./sglang/sglang-responses.ts";
import { Untokenizable } from "./untokenizable.ts";
import { vllmChat } from "./vllm/vllm-chat.ts";
import { vllmMessagesRequest } from "./vllm/vllm-messages.ts";
import { vllmResponses } from "./vllm/vllm-responses.ts";

/** `generate` is SGLang's alone. */
type PromptApi = Exclude<RequestApi, "promptless"> | "generate";

/** The member without which an API's body has the wrong shape, and its JSON types. */
const promptMembers = {
  chat: { name: "messages", isText: false },
  completions: { name: "prompt", isText: true },
  responses: { name: "input", isText: true },
  messages: { name: "messages", isText: false },
} as const;

/** Why a body is read for no engine, although one will answer it. */
const reasons: Readonly<Record<WithoutEngine, string>> = {
  loading: modelLoadingReason,
  "load-only": loadOnlyModelReason,
  unknown: unknownModelReason,
};

/**
 * A body for an engine's own server, which knows more fields than the Dynamo frontend and is the judge of them: only a wrong
 * shape of the prompt itself is refused. What cannot be turned into the engine's tokens here is routed by load.
 * @throws FieldError (400)
 */
export function parseForEngine(
  api: PromptApi,
  root: JsonObject,
  engine: EngineTraits | WithoutEngine | undefined,
): ParsedRequest {
  if (api !== "generate") checkShape(api, root);
  if (typeof engine === "string") return { ...byLoad(root, reasons[engine]), awaitedApi: apiOf(api) };
  if (engine === undefined) return byLoad(root, "the engine's form of a request is not known here");
  try {
    return parse(api, root, engine);
  } catch (error) {
    if (error instanceof FieldError) return byLoad(root, `\`${error.path}\` ${error.problem}`);
    if (error instanceof Untokenizable) return byLoad(root, error.message);
    throw error;
  }
}

function parse(api: PromptApi, root: JsonObject, engine: EngineTraits): ParsedRequest {
  if (api === "generate") return sglangGenerate(root);
  if (api === "completions") return engineCompletion(root, engine.name);
  const chat = engine.name === "vllm" ? vllm[api](root, engine) : sglang[api](root, engine);
  return { ...envelope(api, root), chat };
}

type ChatApi = Exclude<PromptApi, "completions" | "generate">;

const vllm: Readonly<Record<ChatApi, (root: JsonObject, traits: VllmTraits) => ChatRequest>> = {
  chat: vllmChat,
  responses: vllmResponses,
  messages: vllmMessagesRequest,
};

const sglang: Readonly<Record<ChatApi, (root: JsonObject, traits: SglangTraits) => ChatRequest>> = {
  chat: sglangChat,
  responses: sglangResponses,
  messages: sglangMessagesRequest,
};

/** What every request with a prompt has beside it. */
function envelope<A extends ChatApi>(api: A, root: JsonObject) {
  const model = engineModel(root) ?? "";
  return { api, model, extensions: engineExtensions(root), clientPins: clientPinsOf(root), root };
}

/** Which engine's `generate` it is to be is not known yet. */
function apiOf(api: PromptApi): Exclude<RequestApi, "promptless"> | undefined {
  return api === "generate" ? undefined : api;
}

function byLoad(root: JsonObject, reason: string): PromptlessParsed {
  return promptless(reason, engineModel(root), clientPinsOf(root), root);
}

function checkShape(api: Exclude<PromptApi, "generate">, root: JsonObject): void {
  const { name, isText } = promptMembers[api];
  const value = root.get(name);
  if (value === undefined || value === null) {
    if (api === "completions" && typeof root.get("prompt_embeds") === "string") return;
    throw new FieldError("is required", name);
  }
  if (isList(value)) {
    if (isText) return;
    value.forEach((message, at) => {
      const role = message instanceof JsonObject ? message.get("role") : undefined;
      if (typeof role !== "string") throw new FieldError("must be an object with a role", `${name}[${at}]`);
    });
  } else if (!(isText && typeof value === "string")) {
    throw new FieldError(isText ? "must be a string or an array" : "must be an array", name);
  }
}
