import { JsonObject, type JsonValue } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import { isList } from "../../fields/index.ts";
import { type HarmonyMessage, type HarmonyTool, harmonyCall, harmonyInstructions, harmonyTurn } from "../harmony.ts";
import { given, notTaken, optionalText, textOf } from "../members.ts";
import { responseEffort, responseInput, responseTools } from "../responses.ts";
import { Untokenizable } from "../untokenizable.ts";
import { flatText, partTexts, toolTurn, vllmHarmonyRequest } from "./vllm-harmony.ts";
import { VllmItems } from "./vllm-response-items.ts";
import { checkVllmResponseChoice } from "./vllm-response-tools.ts";
import { vllmEfforts } from "./vllm-template-args.ts";
import { offeredFunction } from "./vllm-tools.ts";

/** Tools that run beside the server, which has none unless it is told to; beside another tool they are passed over. */
const builtin: ReadonlySet<JsonValue | undefined> = new Set(["web_search_preview", "code_interpreter", "container"]);

/**
 * A Responses request to gpt-oss at vLLM (vllm@0.33.0 renderers/online_renderer.py _render_responses_with_harmony).
 * @throws Untokenizable
 */
export function vllmHarmonyResponses(root: JsonObject): ChatRequest {
  if (given(root, "previous_input_messages") !== undefined) throw notTaken("previous_input_messages");
  const effort = responseEffort(root, vllmEfforts);
  const tools = offeredTools(root);
  const input = responseInput(root);
  const instructions = optionalText(root, "instructions");
  if (typeof input === "string") {
    return vllmHarmonyRequest({ instructions, tools, effort, messages: [{ author: "user", contents: [input] }] });
  }
  new VllmItems().chatMessages(input);
  const [first] = input;
  const leads = instructions === undefined && first !== undefined && isInstructing(first);
  const messages = itemMessages(leads ? input.slice(1) : input);
  return vllmHarmonyRequest({
    instructions: leads ? flatText(first.get("content")) : instructions,
    tools,
    effort,
    messages,
  });
}

function isInstructing(item: JsonObject): boolean {
  return item.get("role") === "system" || item.get("role") === "developer";
}

function offeredTools(root: JsonObject): readonly HarmonyTool[] {
  const tools = responseTools(root);
  checkVllmResponseChoice(root, tools);
  return tools.flatMap((tool) => {
    if (builtin.has(tool.get("type"))) return [];
    if (tool.get("type") !== "function") throw new Untokenizable("a tool that is not known here");
    const { name, description, parameters } = offeredFunction(tool);
    return [{ name, description: description ?? "", parameters: parameters ?? undefined }];
  });
}

function itemMessages(items: readonly JsonObject[]): readonly HarmonyMessage[] {
  const names = new Map<JsonValue | undefined, string>();
  return items.flatMap((item) => {
    const type = item.get("type");
    if (type === undefined || type === "message") return messageTurn(item);
    if (type === "reasoning") return reasoningTurn(item);
    if (type === "function_call") {
      const name = textOf(item, "name");
      names.set(item.get("call_id"), name);
      return [harmonyCall(name, textOf(item, "arguments"))];
    }
    const name = type === "function_call_output" ? names.get(item.get("call_id")) : undefined;
    if (name === undefined) throw new Untokenizable("an item that is not known here");
    return [toolTurn(name, textOf(item, "output"))];
  });
}

function messageTurn(item: JsonObject): readonly HarmonyMessage[] {
  const content = item.get("content");
  if (isInstructing(item)) {
    const text = flatText(content) ?? "";
    return text === "" ? [] : [harmonyInstructions(text)];
  }
  const contents = isList(content) && content.length === 0 ? [] : partTexts(content);
  return [item.get("role") === "assistant" ? harmonyTurn("final", ...contents) : { author: "user", contents }];
}

/** Only the content counts, a line for each part. */
function reasoningTurn(item: JsonObject): readonly HarmonyMessage[] {
  const content = given(item, "content") ?? [];
  if (!isList(content)) throw notTaken("content");
  if (content.length === 0) return [];
  const texts = content.map((part) => (part instanceof JsonObject ? textOf(part, "text") : ""));
  return [harmonyTurn("analysis", texts.join("\n"))];
}
