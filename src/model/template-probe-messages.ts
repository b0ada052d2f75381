import { JsonObject, type JsonValue } from "../json/index.ts";
import { type Message, plainMessage, withMembers } from "./messages.ts";

/**
 * A question, an answer that calls a tool, and the tool's result, as the frontend's probes have them.
 * @param reasoning of the answer; undefined leaves it out
 */
export function conversationWithCall(callArguments: JsonValue, reasoning?: JsonValue): readonly Message[] {
  const call = JsonObject.from([
    ["id", "call_probe"],
    ["type", "function"],
    [
      "function",
      JsonObject.from([
        ["name", "probe"],
        ["arguments", callArguments],
      ]),
    ],
  ]);
  const answer = withMembers(plainMessage("assistant", ""), { reasoning_content: reasoning, tool_calls: [call] });
  const result = JsonObject.from([
    ["role", "tool"],
    ["tool_call_id", "call_probe"],
    ["content", "r"],
  ]);
  return [plainMessage("user", "u"), answer, result];
}
