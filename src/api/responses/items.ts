import { JsonObject, type JsonValue } from "../../json/index.ts";
import {
  FieldError,
  firstOf,
  flag,
  listOf,
  nullDefault,
  oneOf,
  optional,
  type Reader,
  required,
  struct,
  tagged,
  text,
  textOrList,
  withDefault,
} from "../fields/index.ts";
import { agentMessageText, type InputPart, inputPart, outputPart, outputTextOf } from "./content-parts.ts";
import { caller, droppedItems, itemStatus } from "./dropped-items.ts";

/** A call of a function in an earlier turn. */
export interface FunctionCallItem {
  readonly kind: "function-call";
  readonly callId: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly arguments: string;
}

/** An input item, by what it does to the conversation. */
export type InputItem =
  | { readonly kind: "reference" }
  | { readonly kind: "system"; readonly content: string | readonly InputPart[] }
  | { readonly kind: "user"; readonly content: string | readonly InputPart[] }
  | { readonly kind: "assistant"; readonly content: string | readonly InputPart[] }
  | FunctionCallItem
  | { readonly kind: "function-output"; readonly callId: string; readonly output: string | readonly InputPart[] }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "dropped" };

const phase = optional(oneOf("commentary", "final_answer"));

const outputMessage = struct({
  content: nullDefault(listOf(outputPart), []),
  id: optional(text),
  role: required(oneOf("assistant")),
  phase,
  status: optional(itemStatus),
});

const inputMessage = struct({
  content: required(listOf(inputPart)),
  role: required(oneOf("user", "system", "developer")),
  status: optional(itemStatus),
});

const easyMessage = struct({
  type: withDefault<string>(oneOf("message"), "message"),
  role: required(oneOf("user", "assistant", "system", "developer")),
  content: required(textOrList(inputPart)),
  phase,
});

const functionCall = struct({
  arguments: required(text),
  call_id: required(text),
  namespace: optional(text),
  name: required(text),
  id: optional(text),
  status: optional(itemStatus),
  caller: optional(caller),
  async: optional(flag),
});

const functionCallOutput = struct({
  call_id: required(text),
  output: required(textOrList(inputPart)),
  id: optional(text),
  status: optional(itemStatus),
});

const textStruct = struct({ text: required(text) });

const reasoning = struct({
  id: optional(text),
  summary: withDefault(listOf(tagged<{ readonly text: string }>("type", { summary_text: textStruct })), []),
  content: optional(listOf(textStruct)),
  encrypted_content: optional(text),
  status: optional(itemStatus),
});

const typedItems: Readonly<Record<string, (object: JsonObject) => InputItem>> = {
  message: readMessage,
  function_call: (object) => {
    const call = functionCall(object, "last");
    return {
      kind: "function-call",
      callId: call.call_id,
      namespace: call.namespace,
      name: call.name,
      arguments: call.arguments,
    };
  },
  function_call_output: (object) => {
    const { call_id: callId, output } = functionCallOutput(object, "last");
    return { kind: "function-output", callId, output };
  },
  reasoning: (object) => {
    const item = reasoning(object, "last");
    const content = (item.content ?? []).map((part) => part.text).join("");
    return { kind: "reasoning", text: content === "" ? item.summary.map((part) => part.text).join("") : content };
  },
};

/**
 * An input item, matched in the frontend's order: Codex's agent message, a reference (an object with an `id` and no other type,
 * so an untyped message that carries an id is one too), an item by its type, an easy message. Repeated keys: the last stands.
 */
export const inputItem: Reader<InputItem> = (value: JsonValue) => {
  if (!(value instanceof JsonObject)) throw new FieldError("must be an object");
  const type = value.get("type");
  if (type === "agent_message") return { kind: "user", content: agentText(value) };
  if (typeof value.get("id") === "string" && (type === undefined || type === null || type === "item_reference")) {
    return { kind: "reference" };
  }
  if (type === undefined) return readEasyMessage(value);
  const read = typeof type === "string" && Object.hasOwn(typedItems, type) ? typedItems[type] : undefined;
  if (read !== undefined) return read(value);
  const check = typeof type === "string" && Object.hasOwn(droppedItems, type) ? droppedItems[type] : undefined;
  if (check === undefined) throw new FieldError("is not a known item type", "type");
  check(value, "last");
  return { kind: "dropped" };
};

function agentText(message: JsonObject): string {
  const content = message.get("content");
  if (content === undefined) return "";
  try {
    return agentMessageText(content, "last");
  } catch (error) {
    throw error instanceof FieldError ? error.within("content") : error;
  }
}

/** An answer of the model, else a message with a list of parts, else an easy message; the first failure tells most. */
function readMessage(object: JsonObject): InputItem {
  if (typeof object.get("content") === "string") return readEasyMessage(object);
  const read = object.get("role") === "assistant" ? readAnswer : readInputMessage;
  return firstOf<InputItem, InputItem>(read, readEasyMessage)(object, "last");
}

function readAnswer(value: JsonValue): InputItem {
  return { kind: "assistant", content: outputTextOf(outputMessage(value, "last").content) };
}

function readInputMessage(value: JsonValue): InputItem {
  const message = inputMessage(value, "last");
  return { kind: message.role === "user" ? "user" : "system", content: message.content };
}

function readEasyMessage(value: JsonValue): InputItem {
  const { role, content } = easyMessage(value, "last");
  if (role === "user" || role === "assistant") return { kind: role, content };
  return { kind: "system", content };
}
