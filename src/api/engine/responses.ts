import { JsonObject, type JsonValue } from "../../json/index.ts";
import { isList } from "../fields/index.ts";
import { given, notTaken, objectOf, objectsOf } from "./members.ts";
import { Untokenizable } from "./untokenizable.ts";

// What vLLM's and SGLang's readings of a Responses request have in common.

/** Members that bring text which is not in the body. */
const elsewhere = ["previous_response_id", "prompt"] as const;

/**
 * The input as text, or as items.
 * @throws Untokenizable for input that is not in the body, or no input
 */
export function responseInput(root: JsonObject): string | readonly JsonObject[] {
  const member = elsewhere.find((name) => given(root, name) !== undefined);
  if (member !== undefined) throw new Untokenizable(`\`${member}\` brings text that is not in the body`);
  const input = root.get("input");
  if (typeof input === "string") return input;
  if (!isList(input)) throw notTaken("input");
  return objectsOf(input, "input");
}

/** The member that holds the text of a custom tool's call, which is a function's only parameter. */
export const CUSTOM_INPUT = "input";

/** Parameters of the function that stands for a custom tool. */
export const customToolParameters = objectOf({
  type: "object",
  properties: objectOf({
    [CUSTOM_INPUT]: objectOf({ type: "string", description: "The freeform text payload for this tool." }),
  }),
  required: [CUSTOM_INPUT],
  additionalProperties: false,
});

/** The tools of a request: objects with a type. */
export function responseTools(root: JsonObject): readonly JsonObject[] {
  const tools = root.get("tools") ?? [];
  if (!isList(tools) || root.get("tools") === null) throw notTaken("tools");
  return objectsOf(tools, "tools");
}

/** The name that a choice asks for, of a function or a custom tool; undefined for other choices. */
export function namedChoice(choice: JsonValue | undefined): string | undefined {
  if (!(choice instanceof JsonObject)) return undefined;
  const type = choice.get("type");
  if (type !== "function" && type !== "custom") return undefined;
  const name = choice.get("name");
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** `reasoning.effort`, one of the engine's. */
export function responseEffort(root: JsonObject, efforts: ReadonlySet<JsonValue>): string | undefined {
  const reasoning = given(root, "reasoning");
  if (reasoning === undefined) return undefined;
  if (!(reasoning instanceof JsonObject)) throw notTaken("reasoning");
  const effort = given(reasoning, "effort");
  if (effort === undefined) return undefined;
  if (!efforts.has(effort)) throw notTaken("reasoning");
  return effort as string;
}
