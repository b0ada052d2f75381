/** A request as an agent sends it. */
export interface ClientRequest {
  readonly name: string;
  readonly path: string;
  /** Without `model`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request that a frontend refuses. */
export type RefusedRequest = { readonly name: string; readonly path: string; readonly status: number } & (
  | Pick<ClientRequest, "body">
  | { readonly text: string }
);

const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const image =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Written after real-world clients; some are refused by a model's template, or for their images. */
export const clientRequests: readonly ClientRequest[] = [
  {
    name: "Codex: developer messages, ids on items, a namespace of tools",
    path: "/v1/responses",
    body: {
      input: [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "You are Codex." }] },
        {
          type: "message",
          role: "developer",
          content: [{ type: "input_text", text: "<environment>sandbox</environment>" }],
        },
        { type: "message", role: "user", id: "msg_1", content: [{ type: "input_text", text: "list files" }] },
        { type: "reasoning", id: "rs_1", summary: [], content: null, encrypted_content: "gAAAA" },
        {
          type: "message",
          role: "assistant",
          id: "msg_2",
          content: [{ type: "output_text", text: "Looking.", annotations: [] }],
        },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "exec", arguments: '{"command": "ls"}' },
        { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "a.txt\nb.txt" },
      ],
      tools: [
        { type: "function", name: "exec", description: "Runs", strict: false, parameters },
        {
          type: "namespace",
          name: "agents",
          description: "",
          tools: [{ type: "function", name: "spawn", parameters, strict: false }],
        },
      ],
      tool_choice: "auto",
      parallel_tool_calls: false,
      reasoning: { effort: "medium", summary: "auto" },
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "k",
      client_metadata: { a: "b" },
    },
  },
  {
    name: "Claude Code: billing header, system turn, adaptive thinking, cached results",
    path: "/v1/messages?beta=true",
    body: {
      max_tokens: 32_000,
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.332; cc_entrypoint=cli;" },
        { type: "text", text: "You are Claude Code.", cache_control: { type: "ephemeral" } },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "<system-reminder>\nx\n</system-reminder>" },
            { type: "text", text: "ls" },
          ],
        },
        { role: "system", content: "Be brief." },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "A tool.", signature: "s" },
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls -la" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: "a.txt",
              is_error: false,
              cache_control: { type: "ephemeral" },
            },
          ],
        },
      ],
      tools: [{ name: "Bash", description: "Runs", input_schema: parameters }],
      thinking: { type: "adaptive", display: "omitted" },
      output_config: { effort: "high" },
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      metadata: { user_id: '{"session_id":"s"}' },
      stream: true,
    },
  },
  {
    name: "openai SDK: options written out as null, a dumped answer",
    path: "/v1/chat/completions",
    body: {
      messages: [
        { role: "user", content: "hi", name: null },
        {
          role: "assistant",
          content: "hello",
          refusal: null,
          annotations: [],
          audio: null,
          function_call: null,
          tool_calls: null,
        },
        { role: "user", content: [{ type: "text", text: "again" }] },
      ],
      temperature: null,
      tools: null,
      stop: null,
      response_format: { type: "text" },
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  {
    name: "an image, for a template that wants texts",
    path: "/v1/chat/completions",
    body: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: image } },
          ],
        },
      ],
    },
  },
  {
    name: "Responses with an image",
    path: "/v1/responses",
    body: {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "see" },
            { type: "input_image", image_url: image },
          ],
        },
      ],
    },
  },
  {
    name: "Messages with an image",
    path: "/v1/messages",
    body: {
      max_tokens: 5,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: image.slice(22) } },
            { type: "text", text: "see" },
          ],
        },
      ],
    },
  },
  {
    name: "token ids for a prompt",
    path: "/v1/completions",
    body: { prompt: [9707, 11, 1879, 0], max_tokens: 3, stream: true },
  },
  {
    name: "token ids of the client's own",
    path: "/v1/chat/completions",
    body: { messages: [{ role: "user", content: "hi" }], nvext: { token_data: [9707, 11, 1879] } },
  },
];

/** What a frontend refuses for what it says, each for another reason. */
export const refusedRequests: readonly RefusedRequest[] = [
  { name: "no JSON", path: "/v1/chat/completions", status: 400, text: '{"model": "qwen3", "messages": [' },
  {
    name: "an image by the id of a file",
    path: "/v1/responses",
    status: 400,
    body: { input: [{ role: "user", content: [{ type: "input_image", file_id: "file_1" }] }] },
  },
  { name: "a hosted tool", path: "/v1/responses", status: 400, body: { input: "hi", tools: [{ type: "web_search" }] } },
  {
    name: "an earlier response",
    path: "/v1/responses",
    status: 501,
    body: { input: "hi", previous_response_id: "resp_1" },
  },
  { name: "no messages", path: "/v1/chat/completions", status: 400, body: { messages: [] } },
  {
    name: "Messages without max_tokens",
    path: "/v1/messages",
    status: 400,
    body: { messages: [{ role: "user", content: "hi" }] },
  },
  {
    name: "an unknown role",
    path: "/v1/chat/completions",
    status: 400,
    body: { messages: [{ role: "robot", content: "hi" }] },
  },
  {
    name: "a turn that the template refuses",
    path: "/v1/chat/completions",
    status: 400,
    body: {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: null, tool_calls: [] },
      ],
    },
  },
  { name: "an unknown model", path: "/v1/completions", status: 404, text: '{"model": "other", "prompt": "x"}' },
];
