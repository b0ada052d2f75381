import { JsonObject, type JsonValue, serdeJsonText } from "../../json/index.ts";
import {
  anyObject,
  anyValue,
  FieldError,
  firstOf,
  flag,
  listOf,
  nullable,
  oneOf,
  optional,
  type Reader,
  required,
  struct,
  tagged,
  text,
  textOrList,
  VerbatimStruct,
  withDefault,
} from "../fields/index.ts";
import { assistantPart, textOnlyPart, toolPart, userPart } from "./content-parts.ts";

// Roles, members and their order: dynamo-protocols@8.2.0 types/chat.rs ChatCompletionRequestMessage.

/** Tool-call arguments: the usual JSON text, or an object, which is written as text. */
const argumentsText: Reader<string> = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof JsonObject) return serdeJsonText(value);
  throw new FieldError("must be a string or an object");
};

const functionCall = struct({ name: required(text), arguments: required(argumentsText) });

const toolCall = struct({
  id: required(text),
  type: withDefault(oneOf("function"), "function"),
  function: required(functionCall),
});

const systemFields = struct({
  content: optional(textOrList(textOnlyPart)),
  name: optional(text),
  tools: optional(listOf(anyValue)),
});

/** A system message may leave out its content only when it declares tools of its own (Kimi). */
const systemMessage: Reader<object> = (value, duplicates) => {
  const message = systemFields(value, duplicates);
  if (message.content !== undefined) return message;
  if (message.tools === undefined || message.tools.length === 0) throw new FieldError("is required", "content");
  return { content: "", name: message.name, tools: message.tools };
};

const assistantMessage = struct({
  content: optional(textOrList(assistantPart)),
  reasoning_content: optional(firstOf(text, listOf(text), "must be a string or an array of strings"), "reasoning"),
  refusal: optional(text),
  name: optional(text),
  audio: optional(struct({ id: required(text) })),
  tool_calls: optional(listOf(toolCall)),
  function_call: optional(functionCall),
  partial: optional(flag),
});

const byRole: Reader<object> = tagged<object>("role", {
  developer: struct({ content: required(textOrList(textOnlyPart)), name: optional(text) }),
  system: systemMessage,
  user: struct({ content: required(textOrList(userPart)), name: optional(text) }),
  assistant: assistantMessage,
  tool: struct({ content: required(textOrList(toolPart)), tool_call_id: required(text) }),
  function: struct({ content: nullable(text), name: required(text) }),
});

/** Members that belong to one role and are refused on the others instead of being dropped. */
const ownedBy = { tools: "system", partial: "assistant" } as const;

/** Roles whose message is whole with a text. */
const textRoles: ReadonlySet<JsonValue> = new Set(["developer", "system", "user", "assistant"]);

/** The usual message: a role, then a text. It needs neither a reader of its role nor to be written again (bench/ext-proc). */
class TextMessage extends VerbatimStruct implements ChatMessage {
  readonly role: string;
  readonly content: string;

  constructor(role: string, content: string, source: JsonObject) {
    super(source);
    this.role = role;
    this.content = content;
  }
}

/** Undefined when the message has another shape. */
function textMessage(object: JsonObject): TextMessage | undefined {
  if (object.size !== 2 || object.keyAt(0) !== "role" || object.keyAt(1) !== "content") return undefined;
  const role = object.get("role");
  const content = object.get("content");
  if (typeof role !== "string" || typeof content !== "string" || !textRoles.has(role)) return undefined;
  return object.duplicateKeys.length === 0 ? new TextMessage(role, content, object) : undefined;
}

/** One message of a chat request: `role` first, unknown members dropped. */
export const chatMessage: Reader<ChatMessage> = (value, duplicates) => {
  const object = anyObject(value, duplicates);
  const usual = textMessage(object);
  if (usual !== undefined) return usual;
  const message = byRole(value, duplicates) as ChatMessage;
  for (const [member, role] of Object.entries(ownedBy)) {
    if (duplicates === "refuse" && object.duplicateKeys.includes(member))
      throw new FieldError("is given twice", member);
    if (message.role !== role && isGiven(object.get(member))) {
      throw new FieldError(`is only accepted on ${role} messages`, member);
    }
  }
  return message;
};

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** What this module needs to know of a message once it is read; `toJson` writes the rest. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly type?: string }[] | undefined;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[] | undefined;
  readonly tools?: readonly JsonValue[] | undefined;
}
