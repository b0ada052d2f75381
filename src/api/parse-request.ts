import type { Buffer } from "node:buffer";
import { RoutingError } from "../errors/index.ts";
import {
  type JsonLimits,
  JsonObject,
  JsonSyntaxError,
  type JsonValue,
  MAX_JSON_DEPTH,
  type ParseJsonOptions,
  parseJson,
} from "../json/index.ts";
import { FRONTEND_MAX_DEPTH } from "./chat/chat-draft.ts";
import { parseChat } from "./chat/parse-chat.ts";
import { parseCompletion } from "./completions/parse-completion.ts";
import { parseForEngine } from "./engine/parse-for-engine.ts";
import { clientPinsInText, clientPinsOf } from "./extensions.ts";
import { FieldError, isList } from "./fields/index.ts";
import { parseMessages } from "./messages/parse-messages.ts";
import {
  type Dialect,
  type ParsedRequest,
  type ParseOptions,
  type PromptlessParsed,
  promptless,
} from "./parsed-request.ts";
import { isGeneratePath, type RequestApi, requestApiFromPath } from "./path.ts";
import { parseResponses } from "./responses/parse-responses.ts";

type PromptApi = Exclude<RequestApi, "promptless">;

const dynamoParsers = {
  chat: parseChat,
  completions: parseCompletion,
  responses: parseResponses,
  messages: parseMessages,
} as const;

/**
 * What a client asks for. A path that names an API gets one typed parse; without one the body decides, as in Dynamo's picker:
 * messages make it chat, else `prompt` makes it a completion, else it is routed by load.
 * @param path with or without query; undefined when the surface knows none
 * @throws RoutingError invalid_request (400) or not_implemented (501), naming the field; the message holds no content of the request
 */
export function parseRequest(path: string | undefined, body: Buffer, options: ParseOptions): ParsedRequest {
  const api = requestApiFromPath(path);
  if (api === "promptless") return parsePromptless(body, options);
  if (api === undefined && body.length === 0) return promptless("the request has no body", undefined, []);
  const root = rootObject(body, api, options);
  try {
    return (isGeneratePath(path) ? parseGenerate(root, options) : undefined) ?? parseRoot(api, root, options);
  } catch (error) {
    throw error instanceof FieldError ? error.toRoutingError() : error;
  }
}

/** Undefined = the path is no API of the model's engine. */
function parseGenerate(root: JsonValue, options: ParseOptions): ParsedRequest | undefined {
  if (!(root instanceof JsonObject) || dialectOf(root, options) === "dynamo") return undefined;
  const engine = options.engineOf?.(modelOf(root) ?? "");
  const mayBeSglang = engine === "loading" || (typeof engine === "object" && engine.name === "sglang");
  return mayBeSglang ? parseForEngine("generate", root, engine) : undefined;
}

function parseRoot(api: PromptApi | undefined, root: JsonValue, options: ParseOptions): ParsedRequest {
  if (!(root instanceof JsonObject)) throw new FieldError("must be a JSON object");
  const named = api ?? apiFromShape(root);
  if (named === undefined && !options.refuseUnknownShapes) {
    return promptless("the body has neither messages nor a prompt", modelOf(root), clientPinsOf(root), root);
  }
  if (dialectOf(root, options) === "dynamo") {
    return dynamoParsers[named ?? "chat"](root, options);
  }
  return parseForEngine(named ?? "chat", root, options.engineOf?.(modelOf(root) ?? ""));
}

/** Dynamo's body sniff: a list of messages with at least one entry, else a `prompt` of any kind (even null). */
function apiFromShape(root: JsonObject): PromptApi | undefined {
  const messages = root.get("messages");
  if (isList(messages) && messages.length > 0) return "chat";
  if (root.has("prompt")) return "completions";
  return root.has("messages") ? "chat" : undefined;
}

/** The model is only known once the body is read, so the text is read by the rules of the default dialect. */
function rootObject(body: Buffer, api: PromptApi | undefined, options: ParseOptions): JsonValue {
  try {
    const given = jsonOptions(options);
    // The frontend mends raw control characters on OpenAI's paths only.
    return parseJson(body, api === "messages" ? { ...given, rawControlCharacters: false } : given);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const message = body.length === 0 ? "the request has no body" : `the body is not JSON: ${error.message}`;
    throw new RoutingError(message, { code: "invalid_request", cause: error });
  }
}

function jsonOptions(options: ParseOptions): ParseJsonOptions {
  return { ...jsonLimits(options), ...(options.reader === undefined ? {} : { reader: options.reader }) };
}

function jsonLimits(options: ParseOptions): JsonLimits {
  const maxDepth = Math.min(options.maxDepth, MAX_JSON_DEPTH);
  if (options.dialect === "engine") return { maxDepth };
  return { maxDepth: Math.min(maxDepth, FRONTEND_MAX_DEPTH), finiteNumbers: true, rawControlCharacters: true };
}

/** The body is not our business: what can be read of it cheaply is, and nothing is refused. */
function parsePromptless(body: Buffer, options: ParseOptions): PromptlessParsed {
  const reason = "the path has no prompt of ours";
  try {
    const root = body.length === 0 ? null : parseJson(body, { ...jsonOptions(options), rawControlCharacters: true });
    if (root instanceof JsonObject) return promptless(reason, modelOf(root), clientPinsOf(root), root);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return promptless(reason, undefined, clientPinsInText(body));
  }
  return promptless(reason, undefined, []);
}

function modelOf(root: JsonObject): string | undefined {
  const model = root.get("model");
  return typeof model === "string" ? model : undefined;
}

function dialectOf(root: JsonObject, options: ParseOptions): Dialect {
  return options.dialectOf?.(modelOf(root) ?? "") ?? options.dialect;
}
