import { JsonNumber, JsonObject, type JsonValue } from "../../../json/index.ts";
import { TemplateRefusal } from "../../template-errors.ts";
import type { NativeRenderer, NativeRequest } from "../native-renderer.ts";
import { isThinking } from "../thinking.ts";
import { refuseUnsupportedMembers } from "../unsupported-members.ts";
import { markupV41, unwrappedArguments } from "./call-markup.ts";
import { idOfCall, isList, type Preamble, type Turn, turnOf } from "./conversation.ts";
import { effortV41 } from "./instructions.ts";
import { tokens } from "./tokens.ts";
import { type V4Form, v4Pieces } from "./v4-prompt.ts";
import { mergedTurns } from "./v4-turns.ts";
import { orderV41 } from "./v41-order.ts";

const form: V4Form = { markup: markupV41, readArguments: unwrappedArguments, marksSystem: true };

/** DeepSeek V4.1 (dynamo-renderer@8.0.3 deepseek/v41.rs). */
export const deepseekV41: NativeRenderer = {
  render(request) {
    refuseUnsupportedMembers(request);
    const effort = effortOf(request.templateArgs);
    const thinks = isThinking(request.templateArgs) && effort !== "none";
    const dropsThoughts = dropsThoughtsOf(request.templateArgs);
    const preamble = preambleOf(request);
    const turns = mergedTurns(ordered(withFirstSystem(request.messages.map(readTurn), preamble), request));
    const lastQuestion = turns.findLastIndex(({ role }, at) => role === "user" || (role === "system" && at > 0));
    return v4Pieces(turns, form, {
      isThinking: thinks,
      dropsThoughts: dropsThoughts && preamble.tools === undefined,
      effort: effortV41(effort === "none" ? defaultEffort : effort),
      preamble,
      toldAt: 0,
      lastQuestion,
    });
  },
};

const defaultEffort = 75;
const efforts: ReadonlyMap<JsonValue | undefined, number | "none"> = new Map<JsonValue | undefined, number | "none">([
  [undefined, defaultEffort],
  [null, defaultEffort],
  ["none", "none"],
  ["low", 50],
  ["high", 75],
  ["max", 100],
]);

/** @throws TemplateRefusal for words and numbers that the model does not know */
function effortOf(args: JsonObject | undefined): number | "none" {
  const given = args?.get("reasoning_effort");
  const known = efforts.get(given);
  if (known !== undefined) return known;
  const effort = given instanceof JsonNumber && given.isInteger && given.lexeme !== "-0" ? given.toNumber() : 0;
  if (effort < 1 || effort > 100) throw new TemplateRefusal();
  return effort;
}

function dropsThoughtsOf(args: JsonObject | undefined): boolean {
  const given = args?.get("drop_thinking");
  if (given !== undefined && typeof given !== "boolean") throw new TemplateRefusal();
  return given ?? true;
}

/** An empty list of tools is none. */
function preambleOf({ tools, toolChoice, responseFormat }: NativeRequest): Preamble {
  const areTold = toolChoice !== "none" && tools !== undefined && tools.length > 0;
  return { tools: areTold ? tools : undefined, responseFormat };
}

function withFirstSystem(turns: readonly Turn[], { tools, responseFormat }: Preamble): readonly Turn[] {
  const isNeeded = tools !== undefined || responseFormat !== undefined;
  if (!isNeeded || turns[0]?.role === "system") return turns;
  return [{ role: "system", content: "", reasoning: undefined, calls: [], callId: "" }, ...turns];
}

/** A developer's message counts as the system's. @throws TemplateRefusal for content that is neither text nor image */
function readTurn(message: JsonObject): Turn {
  const turn = turnOf(message, textOfParts);
  if (typeof turn.content === "string" && typeof message.get("content") === "string") checkText(turn.content);
  if (typeof turn.reasoning === "string") checkText(turn.reasoning);
  return turn.role === "developer" ? { ...turn, role: "system" } : turn;
}

function textOfParts(content: JsonValue): string {
  if (content === null) return "";
  if (!isList(content)) throw new TemplateRefusal();
  return content.map(textOfPart).join("\n\n");
}

function textOfPart(part: JsonValue): string {
  const type = part instanceof JsonObject ? part.get("type") : undefined;
  if (!(part instanceof JsonObject) || (type !== "text" && type !== "image_url")) throw new TemplateRefusal();
  if (type === "image_url") return imageText(part.get("image_url"));
  const text = part.get("text");
  if (typeof text !== "string") throw new TemplateRefusal();
  return checkText(text);
}

function imageText(image: JsonValue | undefined): string {
  const url = image instanceof JsonObject ? image.get("url") : image;
  if (typeof url !== "string" || url === "") throw new TemplateRefusal();
  return tokens.image;
}

/** What stands for an image must come from one. */
function checkText(text: string): string {
  if (text.includes(tokens.image)) throw new TemplateRefusal();
  return text;
}

/** @throws TemplateRefusal where the message that is to be continued would not be the last */
function ordered(turns: readonly Turn[], { continueFinalMessage }: NativeRequest): readonly Turn[] {
  if (!turns.some(({ role }) => role === "tool")) return turns;
  const order = orderV41(turns, idOfCall);
  if (continueFinalMessage && order.at(-1) !== turns.length - 1) throw new TemplateRefusal();
  return order.map((place) => turns[place] as Turn);
}
