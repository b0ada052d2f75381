import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { TemplateRefusal } from "../../template-errors.ts";
import type { NativeRenderer, NativeRequest } from "../native-renderer.ts";
import { thinkingSwitch } from "../thinking.ts";
import { writeAnswer, writeContent, writeThoughts } from "./answers.ts";
import { checkTools, declares, isList, toolsOf, writeTools } from "./declared-tools.ts";
import { tellEffort, tellResponseFormat, tellToolChoice } from "./instructions.ts";
import { callName, type K3Message, withOrderedResults } from "./results.ts";
import { Segments } from "./segments.ts";

/** Kimi K3 (dynamo-renderer@8.0.3 kimi_k3.rs). */
export const kimiK3: NativeRenderer = {
  render(request) {
    const { messages, toolChoice, responseFormat, templateArgs } = request;
    const named = namedTool(request);
    const tools = toolChoice === "none" ? [] : (request.tools ?? []);
    // To name a tool and to think exclude each other.
    const isThinking = named === undefined && (thinkingSwitch(templateArgs) ?? true);
    const last = messages.at(-1);
    const open = last?.get("partial") === true ? last : undefined;
    const history = open === undefined ? messages : messages.slice(0, -1);
    checkTools(tools, messages);
    if (history.some((message) => message.get("partial") === true)) throw new TemplateRefusal();
    const prompt = new Prompt(isThinking);
    if (tools.length > 0) writeTools(prompt.segments, tools, false);
    if (isThinking) tellEffort(prompt.segments, checkedEffort(templateArgs));
    for (const message of withOrderedResults(history)) prompt.write(message);
    tellToolChoice(prompt.segments, toolChoice, named);
    tellResponseFormat(prompt.segments, responseFormat);
    if (open !== undefined) prompt.leaveOpen(open);
    else if (request.addGenerationPrompt) prompt.begin();
    return prompt.segments.pieces();
  },
};

/** The tool that must be called. @throws TemplateRefusal for one that is not declared */
function namedTool({ toolChoice, tools, messages }: NativeRequest): string | undefined {
  if (!(toolChoice instanceof JsonObject)) return undefined;
  const target = toolChoice.get("function");
  const name = target instanceof JsonObject ? target.get("name") : undefined;
  if (typeof name !== "string" || name === "") throw new TemplateRefusal();
  if (!declares([...(tools ?? []), ...messages.flatMap(toolsOf)], name)) throw new TemplateRefusal();
  return name;
}

/** @throws TemplateRefusal for an effort that the model does not know */
function checkedEffort(args: JsonObject | undefined): string {
  const given = args?.has("thinking_effort") === true ? args.get("thinking_effort") : args?.get("reasoning_effort");
  if (typeof given !== "string") return "max";
  if (!["low", "high", "max"].includes(given)) throw new TemplateRefusal();
  return given;
}

class Prompt {
  readonly segments = new Segments();
  readonly #isThinking: boolean;
  /** Calls of the last answer, and the results seen since. */
  #calls: readonly JsonValue[] = [];
  #results = 0;

  constructor(isThinking: boolean) {
    this.#isThinking = isThinking;
  }

  write({ message, role, tool }: K3Message): void {
    switch (role) {
      case "system":
        this.#system(message);
        break;
      case "user":
      case "developer":
        this.#plain(message, role === "user" ? role : "system");
        break;
      case "assistant":
        this.#answer(message);
        break;
      case "tool":
        this.#result(message, tool);
        break;
      default:
        throw new TemplateRefusal();
    }
  }

  /** The last message is left open, in place of the beginning of a new one. @throws TemplateRefusal when it calls tools */
  leaveOpen(message: JsonObject): void {
    const calls = message.get("tool_calls");
    if (isList(calls) && calls.length > 0) throw new TemplateRefusal();
    this.segments.open("message", attributes("assistant", message));
    if (this.#isThinking) writeThoughts(this.segments, message);
    this.segments.open("response");
    writeContent(this.segments, message.get("content"));
  }

  begin(): void {
    this.segments.open("message", [["role", "assistant"]]);
    this.segments.open(this.#isThinking ? "think" : "response");
  }

  /** Says something, or declares tools. */
  #system(message: JsonObject): void {
    const tools = toolsOf(message);
    if (tools.length === 0) {
      this.#plain(message, "system");
      return;
    }
    const content = message.get("content");
    const isEmpty = content === "" || (isList(content) && content.length === 0);
    if (!isEmpty && content !== undefined && content !== null) throw new TemplateRefusal();
    writeTools(this.segments, tools, true);
  }

  #plain(message: JsonObject, role: string): void {
    this.segments.open("message", attributes(role, message));
    writeContent(this.segments, message.get("content"));
    this.segments.closeMessage();
  }

  #answer(message: JsonObject): void {
    const calls = message.get("tool_calls");
    this.#calls = isList(calls) ? calls : [];
    this.#results = 0;
    this.segments.open("message", attributes("assistant", message));
    if (this.#isThinking) writeThoughts(this.segments, message);
    writeAnswer(this.segments, message);
    this.segments.closeMessage();
  }

  /** @param tool whose result it is; undefined: that of the call at its place */
  #result(message: JsonObject, tool: string | undefined): void {
    const name = tool ?? callName(this.#calls[this.#results]);
    this.#results++;
    if (name === undefined) throw new TemplateRefusal();
    this.segments.open("message", [
      ["role", "tool"],
      ["tool", name],
      ["index", String(this.#results)],
    ]);
    writeContent(this.segments, message.get("content"));
    this.segments.closeMessage();
  }
}

function attributes(role: string, message: JsonObject): readonly (readonly [string, string])[] {
  const name = message.get("name");
  const named = typeof name === "string" && name !== "" ? [["name", name] as const] : [];
  return [["role", role], ...named];
}
