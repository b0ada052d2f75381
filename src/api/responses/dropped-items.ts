import {
  anyValue,
  flag,
  float32,
  i32,
  i64,
  listOf,
  oneOf,
  optional,
  type Reader,
  recordOf,
  required,
  struct,
  tagged,
  text,
  textOrList,
  u64,
  withDefault,
} from "../fields/index.ts";
import { inputPart } from "./content-parts.ts";
import { responsesTool } from "./tools.ts";

// Items that are checked for their shape and then left out of the conversation, as they have no form in chat
// (dynamo-protocols@8.2.0 types/responses/mod.rs Item over async-openai@0.42.3 types/responses/response.rs).

export const itemStatus = oneOf("in_progress", "completed", "incomplete");

/** Who made a call: the model, or a program of its. */
export const caller = tagged<object>("type", { direct: struct({}), program: struct({ caller_id: required(text) }) });

const id = optional(text);
const status = optional(itemStatus);
const callId = required(text);
const strings = listOf(text);

const safetyCheck = struct({ id: required(text), code: id, message: id });
const point = { x: required(i32), y: required(i32) };
const keys = optional(strings);

const computerAction = tagged<object>("type", {
  click: struct({ button: required(oneOf("left", "right", "wheel", "back", "forward")), ...point, keys }),
  double_click: struct({ ...point, keys }),
  drag: struct({ path: required(listOf(struct(point))), keys }),
  keypress: struct({ keys: required(strings) }),
  move: struct({ ...point, keys }),
  screenshot: struct({}),
  scroll: struct({ scroll_x: required(i32), scroll_y: required(i32), ...point, keys }),
  type: struct({ text: required(text) }),
  wait: struct({}),
});

const webSearchAction = tagged<object>("type", {
  search: struct({
    query: id,
    queries: optional(strings),
    sources: optional(listOf(struct({ type: required(text), url: required(text) }))),
  }),
  open_page: struct({ url: id }),
  find: struct({ url: required(text), pattern: required(text) }),
  find_in_page: struct({ url: required(text), pattern: required(text) }),
});

const patchOperation = tagged<object>("type", {
  create_file: struct({ path: required(text), diff: required(text) }),
  delete_file: struct({ path: required(text) }),
  update_file: struct({ path: required(text), diff: required(text) }),
});

const shellEnvironment = tagged<object>("type", {
  local: struct({
    skills: optional(listOf(struct({ name: required(text), description: required(text), path: required(text) }))),
  }),
  container_reference: struct({ container_id: required(text) }),
});

const shellOutput = struct({
  stdout: required(text),
  stderr: required(text),
  outcome: required(tagged<object>("type", { timeout: struct({}), exit: struct({ exit_code: required(i32) }) })),
});

const mcpError = tagged<object>("type", {
  mcp_protocol_error: struct({ code: required(i64), message: required(text) }),
  mcp_tool_execution_error: struct({ content: required(anyValue) }),
  http_error: struct({ code: required(i64), message: required(text) }),
});

export const droppedItems: Readonly<Record<string, Reader<object>>> = {
  file_search_call: struct({
    id: required(text),
    queries: required(strings),
    status: required(oneOf("in_progress", "searching", "incomplete", "failed", "completed")),
    results: optional(
      listOf(
        struct({
          attributes: required(recordOf(anyValue)),
          file_id: required(text),
          filename: required(text),
          score: required(float32),
          text: required(text),
        }),
      ),
    ),
  }),
  computer_call: struct({
    action: optional(computerAction),
    actions: optional(listOf(computerAction)),
    call_id: callId,
    id: required(text),
    pending_safety_checks: required(listOf(safetyCheck)),
    status: required(itemStatus),
  }),
  computer_call_output: struct({
    call_id: callId,
    output: required(struct({ type: required(oneOf("computer_screenshot")), file_id: id, image_url: id })),
    acknowledged_safety_checks: optional(listOf(safetyCheck)),
    id,
    status,
  }),
  web_search_call: struct({
    action: optional(webSearchAction),
    id: required(text),
    status: required(oneOf("in_progress", "searching", "completed", "failed", "incomplete")),
  }),
  tool_search_call: struct({
    id,
    call_id: id,
    execution: optional(oneOf("server", "client")),
    arguments: withDefault(anyValue, null),
    status,
  }),
  tool_search_output: struct({
    id,
    call_id: id,
    execution: optional(oneOf("server", "client")),
    tools: required(listOf(responsesTool)),
    status,
  }),
  compaction: struct({ id, encrypted_content: required(text) }),
  image_generation_call: struct({
    id: required(text),
    result: id,
    status: required(oneOf("in_progress", "completed", "generating", "failed")),
    size: id,
    quality: optional(oneOf("low", "medium", "high", "xhigh", "max", "auto")),
  }),
  code_interpreter_call: struct({
    code: id,
    container_id: required(text),
    id: required(text),
    outputs: optional(
      listOf(
        tagged<object>("type", { logs: struct({ logs: required(text) }), image: struct({ url: required(text) }) }),
      ),
    ),
    status: required(oneOf("in_progress", "completed", "incomplete", "interpreting", "failed")),
  }),
  local_shell_call: struct({
    action: required(
      struct({
        command: required(strings),
        env: required(recordOf(text)),
        timeout_ms: optional(u64),
        user: id,
        working_directory: id,
      }),
    ),
    call_id: callId,
    id: required(text),
    status: required(itemStatus),
  }),
  local_shell_call_output: struct({ id: required(text), output: required(text), status }),
  shell_call: struct({
    id,
    call_id: callId,
    action: required(
      struct({ commands: required(strings), timeout_ms: optional(u64), max_output_length: optional(u64) }),
    ),
    status,
    environment: optional(shellEnvironment),
    caller: optional(caller),
  }),
  shell_call_output: struct({
    id,
    call_id: callId,
    output: required(listOf(shellOutput)),
    max_output_length: optional(u64),
    caller: optional(caller),
    status,
  }),
  apply_patch_call: struct({
    id,
    call_id: callId,
    status: required(oneOf("in_progress", "completed")),
    operation: required(patchOperation),
    caller: optional(caller),
  }),
  apply_patch_call_output: struct({
    id,
    call_id: callId,
    status: required(oneOf("completed", "failed")),
    output: id,
    caller: optional(caller),
  }),
  mcp_list_tools: struct({
    id: required(text),
    server_label: required(text),
    tools: required(
      listOf(
        struct({
          input_schema: required(anyValue),
          name: required(text),
          annotations: optional(anyValue),
          description: id,
        }),
      ),
    ),
    error: id,
  }),
  mcp_approval_request: struct({
    arguments: required(text),
    id: required(text),
    name: required(text),
    server_label: required(text),
  }),
  mcp_approval_response: struct({ approval_request_id: required(text), approve: required(flag), id, reason: id }),
  mcp_call: struct({
    arguments: required(text),
    id: required(text),
    name: required(text),
    server_label: required(text),
    approval_request_id: id,
    error: optional(mcpError),
    output: id,
    status: optional(oneOf("in_progress", "completed", "incomplete", "calling", "failed")),
  }),
  custom_tool_call_output: struct({
    call_id: callId,
    output: required(textOrList(inputPart)),
    id,
    caller: optional(caller),
  }),
  custom_tool_call: struct({
    call_id: callId,
    namespace: id,
    input: required(text),
    name: required(text),
    id: required(text),
    caller: optional(caller),
    async: optional(flag),
  }),
};
