import { JsonObject } from "../../json/index.ts";
import { clientPinsOf } from "../extensions.ts";
import { FieldError, isList } from "../fields/index.ts";
import { type EngineName, type ParsedRequest, promptless } from "../parsed-request.ts";
import type { RequestApi } from "../path.ts";
import { engineChat } from "./engine-chat.ts";
import { engineCompletion } from "./engine-completion.ts";
import { engineModel } from "./engine-extensions.ts";
import { engineMessages } from "./engine-messages.ts";
import { engineResponses } from "./engine-responses.ts";
import { Untokenizable } from "./untokenizable.ts";

const parsers = {
  chat: engineChat,
  completions: engineCompletion,
  responses: engineResponses,
  messages: engineMessages,
} as const;

/** The member without which an API's body has the wrong shape, and its JSON types. */
const promptMembers = {
  chat: { name: "messages", isText: false },
  completions: { name: "prompt", isText: true },
  responses: { name: "input", isText: true },
  messages: { name: "messages", isText: false },
} as const;

/** Options by which an engine makes another prompt than the one we would render. */
const promptChangers = ["chat_template", "truncate_prompt_tokens"];

/**
 * A body for an engine's own server, which knows more fields than the Dynamo frontend and is the judge of them: only a wrong
 * shape of the prompt itself is refused. What cannot be turned into the engine's tokens here is routed by load.
 * @throws FieldError (400)
 */
export function parseForEngine(
  api: Exclude<RequestApi, "promptless">,
  root: JsonObject,
  engine: EngineName | undefined,
): ParsedRequest {
  checkShape(api, root);
  const changer = promptChangers.find((name) => (root.get(name) ?? null) !== null);
  if (changer !== undefined) return byLoad(root, `\`${changer}\` changes the prompt`);
  try {
    return parsers[api](root, engine);
  } catch (error) {
    if (error instanceof FieldError) return byLoad(root, `\`${error.path}\` is not known here`);
    if (error instanceof Untokenizable) return byLoad(root, error.message);
    throw error;
  }
}

function byLoad(root: JsonObject, reason: string): ParsedRequest {
  return promptless(reason, engineModel(root), clientPinsOf(root), root);
}

function checkShape(api: Exclude<RequestApi, "promptless">, root: JsonObject): void {
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
