import type { JsonValue } from "../../../json/index.ts";
import type { NativeRenderer } from "../native-renderer.ts";
import { isThinking } from "../thinking.ts";
import { refuseUnsupportedMembers } from "../unsupported-members.ts";
import { markupV4, parsedArguments } from "./call-markup.ts";
import { idOfCall, isList, lastQuestion, turnOf, visibleText } from "./conversation.ts";
import { effortV4 } from "./instructions.ts";
import { type V4Form, v4Pieces } from "./v4-prompt.ts";
import { mergedTurns, sortedResults, type V4Turn } from "./v4-turns.ts";

const form: V4Form = { markup: markupV4, readArguments: parsedArguments, marksSystem: false };

const noTurn: V4Turn = { role: "system", content: "", reasoning: undefined, calls: [], callId: "", blocks: [] };

/** DeepSeek V4 (dynamo-renderer@8.0.3 deepseek/v4.rs). */
export const deepseekV4: NativeRenderer = {
  render(request) {
    refuseUnsupportedMembers(request);
    const { templateArgs, toolChoice, responseFormat } = request;
    const tools = toolChoice === "none" ? undefined : request.tools;
    const given = request.messages.map((message) => turnOf(message, textOfList));
    const isTold = tools !== undefined || responseFormat !== undefined;
    const merged = sortedResults(mergedTurns(given), idOfCall);
    const hasSystem = merged.some(({ role }) => role === "system");
    const effort = templateArgs?.get("reasoning_effort");
    const thinks = isThinking(templateArgs) && effort !== "none";
    const dropsThoughts = templateArgs?.get("drop_thinking") !== false && (tools ?? []).length === 0;
    const turns = withoutEarlyDevelopers(isTold && !hasSystem ? [noTurn, ...merged] : merged, thinks && dropsThoughts);
    return v4Pieces(turns, form, {
      isThinking: thinks,
      dropsThoughts,
      effort: effortText(effort),
      preamble: { tools, responseFormat },
      toldAt: isTold ? turns.findIndex(({ role }) => role === "system") : -1,
      lastQuestion: lastQuestion(turns),
    });
  },
};

function textOfList(content: JsonValue): string | undefined {
  return isList(content) ? visibleText(content) : undefined;
}

/** Where earlier thoughts are dropped a developer's earlier messages go with them (deepseek/common.rs `drop_thinking_messages`). */
function withoutEarlyDevelopers(turns: readonly V4Turn[], drops: boolean): readonly V4Turn[] {
  const last = lastQuestion(turns);
  const kept = ["user", "system", "tool", "assistant"];
  return drops ? turns.filter(({ role }, at) => at >= last || kept.includes(role)) : turns;
}

/** An effort that is unknown counts as the default. */
function effortText(effort: JsonValue | undefined): string {
  if (effort === "max") return effortV4.max;
  return effort === "none" || effort === "low" || effort === "minimal" ? effortV4.none : effortV4.high;
}
