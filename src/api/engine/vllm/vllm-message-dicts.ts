import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { notTaken } from "../members.ts";
import { contentPartSize } from "./vllm-content.ts";

// vLLM reads a message as one of several typed dicts: OpenAI's for the role, or its own for any role (vllm@0.33.0
// renderers/chat_utils/types.py). Pydantic takes the one that sets most of its members, nested ones included, the first of equals. No
// member is lost by it, but a list that OpenAI's dicts declare as an iterable is checked later, and by their rules.

/** Whose typed dict a message is read by. */
export type MessageForm = "openai" | "own";

/** Members that a value sets within itself; undefined when the typed dict does not take it. */
type Size = (value: JsonValue) => number | undefined;

interface Member {
  readonly size: Size;
  readonly isRequired?: boolean;
}

type Dict = Readonly<Record<string, Member>>;

const text: Size = (value) => (typeof value === "string" ? 0 : undefined);
const textOrNull: Size = (value) => (value === null || typeof value === "string" ? 0 : undefined);
const iterable: Size = (value) => (isList(value) ? 0 : undefined);
const textOrIterable: Size = (value) => (typeof value === "string" || isList(value) ? 0 : undefined);

function nullOr(size: Size): Size {
  return (value) => (value === null ? 0 : size(value));
}

function listOf(size: Size): Size {
  return (value) => {
    let total = 0;
    for (const item of isList(value) ? value : [undefined]) {
      const itemSize = item === undefined ? undefined : size(item);
      if (itemSize === undefined) return undefined;
      total += itemSize;
    }
    return total;
  };
}

function dictOf(members: Dict): Size {
  return (value) => (value instanceof JsonObject ? sizeAs(value, members) : undefined);
}

const requiredText: Member = { size: text, isRequired: true };

const textContent: Dict = {
  role: { size: text },
  content: { size: textOrIterable, isRequired: true },
  name: { size: text },
};

const functionCall = dictOf({ arguments: requiredText, name: requiredText });

const byRole: Readonly<Record<string, Dict>> = {
  developer: textContent,
  system: textContent,
  user: textContent,
  assistant: {
    role: { size: text },
    audio: { size: nullOr(dictOf({ id: requiredText })) },
    content: { size: nullOr(textOrIterable) },
    function_call: { size: nullOr(functionCall) },
    name: { size: text },
    refusal: { size: textOrNull },
    tool_calls: { size: iterable },
  },
  tool: { role: { size: text }, content: { size: textOrIterable, isRequired: true }, tool_call_id: requiredText },
  function: { role: { size: text }, content: { size: textOrNull, isRequired: true }, name: requiredText },
};

const toolCall = dictOf({
  id: requiredText,
  function: { size: functionCall, isRequired: true },
  type: { size: (value) => (value === "function" ? 0 : undefined), isRequired: true },
});

const own: Dict = {
  role: { size: text },
  content: { size: (value) => (typeof value === "string" ? 0 : listOf(contentPartSize)(value)) },
  name: { size: text },
  tool_call_id: { size: textOrNull },
  tool_calls: { size: nullOr(listOf(toolCall)) },
  reasoning: { size: textOrNull },
  // Tools of a message's own are not known here.
  tools: { size: (value) => (value === null ? 0 : undefined) },
  task: { size: textOrNull },
};

/**
 * The form that wins.
 * @throws Untokenizable when no typed dict takes the message
 */
export function messageForm(message: JsonObject, role: string): MessageForm {
  const ofRole = Object.hasOwn(byRole, role) ? byRole[role] : undefined;
  const ofRoleSize = ofRole === undefined ? undefined : sizeAs(message, ofRole);
  const ownSize = sizeAs(message, own);
  if (ofRoleSize !== undefined && ofRoleSize >= (ownSize ?? 0)) return "openai";
  if (ownSize === undefined) throw notTaken("messages");
  return "own";
}

function sizeAs(message: JsonObject, dict: Dict): number | undefined {
  let size = 0;
  for (const [name, member] of Object.entries(dict)) {
    const value = message.get(name);
    if (value === undefined) {
      if (member.isRequired === true) return undefined;
      continue;
    }
    const nested = member.size(value);
    if (nested === undefined) return undefined;
    size += 1 + nested;
  }
  return size;
}
