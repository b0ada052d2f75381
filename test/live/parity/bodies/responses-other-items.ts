import type { Chance } from "./chance.ts";
import type { NodeSource } from "./json-node.ts";
import { hostedTool } from "./responses-tools.ts";
import { functionName, text } from "./texts.ts";
import { argumentsText, object, value } from "./values.ts";

/** Items that have no form in chat: each kind that the frontend's types know, with most of its members. */
export function otherItem(chance: Chance): NodeSource {
  const make = chance.pick([searches, computers, shells, patches, mcp, custom, generated]);
  return make(chance);
}

const ended = (chance: Chance, more: readonly string[] = []) =>
  chance.usually(["completed", "in_progress", "incomplete", ...more], ["failed", "other"]);
const caller = (chance: Chance) =>
  chance.maybe(0.1, () =>
    chance.usually<NodeSource>([{ type: "direct" }, { type: "program", caller_id: "c" }, null], [{}]),
  );
const status = (chance: Chance) => chance.maybe(0.5, () => chance.pick<NodeSource>([ended(chance), null]));

function searches(chance: Chance): NodeSource {
  const action = chance.pick<NodeSource>([
    { type: "search", query: text(chance), queries: ["a"], sources: [{ type: "url", url: "u" }] },
    { type: "open_page", url: "u" },
    { type: "find", url: "u", pattern: "p" },
    { type: "find_in_page", url: "u", pattern: "p" },
    chance.usually<NodeSource>([null], [{ type: "other" }]),
  ]);
  return chance.pick<NodeSource>([
    { type: "web_search_call", id: "ws", status: ended(chance), action },
    {
      type: "file_search_call",
      id: "fs",
      queries: ["q"],
      status: ended(chance, ["searching", "failed"]),
      results: chance.pick<NodeSource>([
        null,
        [],
        [{ attributes: object(chance, 0), file_id: "f", filename: "n", score: 0.5, text: text(chance) }],
      ]),
    },
    {
      type: "tool_search_call",
      arguments: value(chance, 1),
      execution: chance.usually(["client", "server"], ["other"]),
    },
    { type: "tool_search_output", tools: [hostedTool(chance)], call_id: null, status: status(chance) },
  ]);
}

function computers(chance: Chance): NodeSource {
  const point = { x: 1, y: -2 };
  const action = chance.pick<NodeSource>([
    { type: "click", button: "left", ...point },
    { type: "double_click", ...point, keys: ["a"] },
    { type: "drag", path: [point, point] },
    { type: "keypress", keys: ["Enter"] },
    { type: "move", ...point },
    { type: "screenshot" },
    { type: "scroll", scroll_x: 0, scroll_y: 3, ...point },
    { type: "type", text: text(chance) },
    { type: "wait" },
    { type: "click", button: chance.usually(["wheel"], ["middle"]), ...point },
  ]);
  const check = { id: "c", code: "x", message: null };
  return chance.pick<NodeSource>([
    {
      type: "computer_call",
      id: "i",
      call_id: "c",
      action,
      pending_safety_checks: [check],
      status: ended(chance),
    },
    { type: "computer_call", id: "i", call_id: "c", actions: [action], pending_safety_checks: [], status: "completed" },
    {
      type: "computer_call_output",
      call_id: "c",
      output: { type: "computer_screenshot", image_url: "u" },
      acknowledged_safety_checks: chance.pick<NodeSource>([[check], null]),
      status: status(chance),
    },
  ]);
}

function shells(chance: Chance): NodeSource {
  const outcome = chance.pick<NodeSource>([
    { type: "exit", exit_code: 1 },
    { type: "timeout" },
    { type: "exit", exit_code: chance.usually([0], [null]) },
  ]);
  return chance.pick<NodeSource>([
    {
      type: "local_shell_call",
      id: "i",
      call_id: "c",
      status: ended(chance),
      action: {
        type: "exec",
        command: ["ls"],
        env: { A: "b" },
        timeout_ms: chance.usually<NodeSource>([5, null], [-1]),
      },
    },
    { type: "local_shell_call_output", id: "i", output: text(chance), status: status(chance) },
    {
      type: "shell_call",
      call_id: "c",
      action: { commands: ["ls"], max_output_length: 5 },
      environment: chance.usually<NodeSource>([null, { type: "local" }], [{ type: "container_reference" }]),
      caller: caller(chance),
    },
    { type: "shell_call_output", call_id: "c", output: [{ stdout: text(chance), stderr: "", outcome }] },
  ]);
}

function patches(chance: Chance): NodeSource {
  const operation = chance.pick<NodeSource>([
    { type: "create_file", path: "p", diff: text(chance) },
    { type: "update_file", path: "p", diff: "d" },
    { type: "delete_file", path: "p" },
    chance.usually<NodeSource>([{ type: "delete_file", path: "p", diff: "d" }], [{ type: "create_file", path: "p" }]),
  ]);
  return chance.pick<NodeSource>([
    {
      type: "apply_patch_call",
      call_id: "c",
      status: chance.usually(["completed", "in_progress"], ["failed"]),
      operation,
      caller: caller(chance),
    },
    {
      type: "apply_patch_call_output",
      call_id: "c",
      status: chance.usually(["completed", "failed"], ["in_progress"]),
      output: text(chance),
    },
  ]);
}

function mcp(chance: Chance): NodeSource {
  const call = { id: "i", name: functionName(chance), server_label: "s", arguments: argumentsText(chance) };
  return chance.pick<NodeSource>([
    {
      type: "mcp_list_tools",
      id: "i",
      server_label: "s",
      tools: [{ name: "n", input_schema: object(chance, 1), description: null, annotations: value(chance, 0) }],
    },
    { type: "mcp_approval_request", ...call },
    {
      type: "mcp_approval_response",
      approval_request_id: "a",
      approve: chance.usually<NodeSource>([true, false], [null]),
    },
    {
      type: "mcp_call",
      ...call,
      output: chance.pick<NodeSource>([text(chance), null]),
      status: ended(chance, ["calling", "failed"]),
      error: chance.pick<NodeSource>([
        null,
        { type: "http_error", code: 500, message: "m" },
        { type: "mcp_tool_execution_error", content: value(chance, 1) },
        chance.usually<NodeSource>([null], [{ type: "mcp_protocol_error", code: 1 }, "failed"]),
      ]),
    },
  ]);
}

function custom(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "custom_tool_call", call_id: "c", name: "n", input: text(chance), id: "x", caller: caller(chance) },
    {
      type: "custom_tool_call",
      call_id: "c",
      name: "n",
      input: text(chance),
      namespace: "s",
      id: chance.usually<NodeSource>(["x"], [undefined]),
    },
    { type: "custom_tool_call_output", call_id: "c", output: text(chance) },
    { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text", text: text(chance) }] },
  ]);
}

function generated(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "compaction", encrypted_content: "x", id: chance.pick<NodeSource>([null, "c"]) },
    ...(chance.isOdd() ? [{ type: "compaction" }] : []),
    {
      type: "image_generation_call",
      id: "i",
      status: chance.usually(["generating", "completed", "failed"], ["incomplete"]),
      result: null,
      quality: "low",
    },
    {
      type: "code_interpreter_call",
      id: "i",
      container_id: "c",
      code: text(chance),
      status: ended(chance, ["interpreting", "failed"]),
      outputs: chance.pick<NodeSource>([
        null,
        [
          { type: "logs", logs: "l" },
          { type: "image", url: "u" },
        ],
        [{}],
      ]),
    },
  ]);
}
