import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { pythonJson } from "../json-text.ts";
import { type CallMarkup, markupV32 } from "./call-markup.ts";
import { tokens } from "./tokens.ts";

// What the models are told about tools, formats and effort, word for word as they were trained (encoding_dsv32.py, encoding_dsv4.py).

/** Tools as DeepSeek V3.2 is told of them. */
export function toolsV32(tools: readonly JsonValue[]): string {
  const { calls, invoke, parameter } = markupV32;
  return `## Tools

You have access to a set of tools you can use to answer the user's question.
You can invoke functions by writing a "<${calls}>" block like the following as part of your reply to the user:
<${calls}>
<${invoke} name="$FUNCTION_NAME">
<${parameter} name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</${parameter}>
...
</${invoke}>
<${invoke} name="$FUNCTION_NAME2">
...
</${invoke}>
</${calls}>

String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for other types (numbers, booleans, arrays, objects).

If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. Here is an example:

<${calls}>
...
</${calls}>

<function_results>
...
</function_results>

${tokens.thinkStart}...thinking about results${tokens.thinkEnd}

Here are the functions available in JSONSchema format:
<functions>
${schemas(tools)}
</functions>
`;
}

/** Tools as DeepSeek V4 and V4.1 are told of them. */
export function toolsV4(tools: readonly JsonValue[], { calls, invoke, parameter }: CallMarkup): string {
  const { thinkStart, thinkEnd } = tokens;
  return `## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<${calls}>" block like the following:

<${calls}>
<${invoke} name="$TOOL_NAME">
<${parameter} name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</${parameter}>
...
</${invoke}>
<${invoke} name="$TOOL_NAME2">
...
</${invoke}>
</${calls}>

String parameters should be specified as is and set \`string="true"\`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set \`string="false"\`.

If thinking_mode is enabled (triggered by ${thinkStart}), you MUST output your complete reasoning inside ${thinkStart}...${thinkEnd} BEFORE any tool calls or final response.

Otherwise, output directly after ${thinkEnd} with tool calls or final response.

### Available Tool Schemas

${schemas(tools)}

You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
`;
}

function schemas(tools: readonly JsonValue[]): string {
  return tools
    .flatMap((tool) => {
      const target = tool instanceof JsonObject ? tool.get("function") : undefined;
      return target === undefined ? [] : [pythonJson(target)];
    })
    .join("\n");
}

/** The format that an answer must have. */
export function formatInstruction(responseFormat: JsonValue): string {
  return `## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n${pythonJson(responseFormat)}`;
}

/** How hard DeepSeek V4 is to think; "" for little. */
export const effortV4 = {
  none: "",
  high: "Reasoning Effort: Absolute maximum with no shortcuts permitted.\nYou MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, rigorously stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.\nExplicitly write out your entire deliberation process, documenting every intermediate step, considered alternative, and rejected hypothesis to ensure absolutely no assumption is left unchecked.\n\n",
  max: "Reasoning Effort: Beyond maximum — exhaustive, relentless, and uncompromising.\nYou MUST reason with the utmost depth and rigor, leaving absolutely nothing to chance: exhaustively decompose the problem into its most fundamental components, trace every causal chain to its root, and resolve the underlying cause rather than any surface symptom.\nDo not stop reasoning until you have independently verified the solution from multiple angles and are certain that no assumption remains unchecked and no error remains undiscovered.\n\n",
} as const;

/** How hard DeepSeek V4.1 is to think. @param effort 1 to 100 */
export function effortV41(effort: number): string {
  return `Reasoning Effort: ${effort} (range 1-100, the higher the value, the more thorough the reasoning)\n\n`;
}
