import { JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";
import { isList } from "../fields/index.ts";
import {
  given,
  missingOrNotTaken,
  notTaken,
  objectOf,
  objectsOf,
  optionalObject,
  optionalText,
  textOf,
} from "./members.ts";
import { Untokenizable } from "./untokenizable.ts";

// What vLLM's and SGLang's readings of a Messages request have in common.

/** A turn. */
export interface AnthropicTurn {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly JsonObject[];
}

/** The turns; other roles are refused by both engines. */
export function anthropicTurns(root: JsonObject): readonly AnthropicTurn[] {
  const messages = root.get("messages");
  if (!isList(messages)) throw missingOrNotTaken(root, "messages");
  return objectsOf(messages, "messages").map((message) => {
    const role = message.get("role");
    if (role !== "user" && role !== "assistant" && role !== "system") throw missingOrNotTaken(message, "role");
    const content = message.get("content");
    if (typeof content === "string") return { role, content };
    if (!isList(content)) throw missingOrNotTaken(message, "content");
    return { role, content: objectsOf(content, "content") };
  });
}

/** The system prompt as text, or as blocks; an empty one is undefined. */
export function anthropicSystem(root: JsonObject): string | readonly JsonObject[] | undefined {
  const system = given(root, "system");
  if (system === undefined || system === "") return undefined;
  if (typeof system === "string") return system;
  if (!isList(system)) throw notTaken("system");
  return objectsOf(system, "system");
}

/** What both engines need to be there. */
export function checkAnthropic(root: JsonObject): void {
  const limit = root.get("max_tokens");
  if (!(limit instanceof JsonNumber && limit.isInteger)) throw missingOrNotTaken(root, "max_tokens");
}

/** A tool's schema, which is an object unless it says otherwise. */
export function inputSchema(tool: JsonObject): JsonObject {
  const schema = tool.get("input_schema");
  if (!(schema instanceof JsonObject)) throw notTaken("tools");
  return schema.has("type") ? schema : JsonObject.from([...schema.entries(), ["type", "object"]]);
}

export interface AnthropicChoice {
  readonly type: "auto" | "any" | "tool" | "none";
  readonly name: string | undefined;
}

export function anthropicChoice(root: JsonObject): AnthropicChoice | undefined {
  const choice = optionalObject(root, "tool_choice");
  if (choice === undefined) return undefined;
  const type = choice.get("type");
  if (type !== "auto" && type !== "any" && type !== "tool" && type !== "none") throw notTaken("tool_choice");
  return { type, name: optionalText(choice, "name") };
}

const displays: Readonly<Record<"vllm" | "sglang", ReadonlySet<JsonValue>>> = {
  vllm: new Set(["summarized", "omitted", "updates"]),
  sglang: new Set(["summarized", "omitted"]),
};

/** Whether thinking is enabled, disabled or adaptive, checked as the engine does; undefined says nothing. */
export function anthropicThinking(root: JsonObject, engine: "vllm" | "sglang"): string | undefined {
  const thinking = optionalObject(root, "thinking");
  if (thinking === undefined) return undefined;
  const type = textOf(thinking, "type");
  const budget = given(thinking, "budget_tokens");
  const display = given(thinking, "display");
  if (type !== "enabled" && type !== "disabled" && type !== "adaptive") throw notTaken("thinking");
  if (type === "enabled" && !(budget instanceof JsonNumber && budget.isInteger && budget.toNumber() >= 1024)) {
    throw notTaken("thinking");
  }
  const isForbidden = engine === "sglang" && ((type !== "enabled" && budget !== undefined) || type === "disabled");
  if (isForbidden && (budget !== undefined || display !== undefined)) throw notTaken("thinking");
  if (type !== "disabled" && display !== undefined && !displays[engine].has(display)) throw notTaken("thinking");
  return type;
}

/** `output_config.effort`, one of the engine's. */
export function anthropicEffort(root: JsonObject, efforts: readonly string[]): string | undefined {
  const config = optionalObject(root, "output_config");
  const effort = config === undefined ? undefined : given(config, "effort");
  if (effort === undefined) return undefined;
  if (typeof effort !== "string" || !efforts.includes(effort)) throw notTaken("output_config");
  return effort;
}

/** Types of blocks that both engines know; of media the tokens are not known. */
const commonBlocks: readonly string[] = [
  "text",
  "tool_use",
  "tool_result",
  "tool_reference",
  "thinking",
  "redacted_thinking",
];

/** @param others types that the engine knows beside the common ones */
export function anthropicBlockType(block: JsonObject, others: readonly string[]): string {
  const type = block.get("type");
  if (typeof type === "string" && (commonBlocks.includes(type) || others.includes(type))) return type;
  throw new Untokenizable("a block that is not known here");
}

/** The arguments of a call of an earlier turn. */
export function callInput(block: JsonObject): JsonObject {
  return optionalObject(block, "input") ?? objectOf({});
}
