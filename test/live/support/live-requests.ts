/** A request that a whole deployment answers. */
export interface LiveRequest {
  readonly name: string;
  readonly path: string;
  /** Without `model`. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly isStream: boolean;
  /** Stands in a whole answer, and not in one that was cut off. */
  readonly ending: string;
}

const city = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", default: 1 } },
  required: ["city"],
};
const weather = { name: "get_weather", description: "Wetter, 天気", parameters: city };

/**
 * One conversation with a system prompt, a round of tool calls and several scripts, as each API has it. The turn with the call has a text: Qwen3's
 * template fails without one.
 */
const apis = [
  {
    name: "chat",
    path: "/v1/chat/completions",
    body: {
      messages: [
        { role: "system", content: "You are terse." },
        { role: "user", content: "Weather in Zürich? 天気は？ 🌦️" },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { id: "c0", type: "function", function: { name: "get_weather", arguments: '{"city":"Zürich","days":2}' } },
          ],
        },
        { role: "tool", tool_call_id: "c0", content: '{"t": 20.0}' },
        { role: "user", content: "And tomorrow?" },
      ],
      tools: [{ type: "function", function: weather }],
    },
    endings: ["chat.completion", "data: [DONE]"],
  },
  {
    name: "completions",
    path: "/v1/completions",
    body: { prompt: "The capital of France is  Paris.\n\n日本の首都は" },
    endings: ["text_completion", "data: [DONE]"],
  },
  {
    name: "responses",
    path: "/v1/responses",
    body: {
      instructions: "You are terse.",
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Weather in Zürich? 天気は？ 🌦️" }] },
        { type: "reasoning", summary: [{ type: "summary_text", text: "A tool knows." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me look." }] },
        { type: "function_call", call_id: "c0", name: "get_weather", arguments: '{"city":"Zürich","days":2}' },
        { type: "function_call_output", call_id: "c0", output: '{"t": 20.0}' },
        { role: "user", content: "And tomorrow?" },
      ],
      tools: [{ type: "function", ...weather }],
    },
    endings: ['"object":"response"', "response.completed"],
  },
  {
    name: "responses, text only",
    path: "/v1/responses",
    body: { input: "What is the capital of France?", reasoning: { effort: "none" } },
    endings: ['"object":"response"', "response.completed"],
  },
  {
    name: "messages",
    path: "/v1/messages",
    body: {
      max_tokens: 8,
      system: "You are terse.",
      messages: [
        { role: "user", content: "Weather in Zürich? 天気は？ 🌦️" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "c0", name: "get_weather", input: { city: "Zürich", days: 2 } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c0", content: "20" },
            { type: "text", text: "And tomorrow?" },
          ],
        },
      ],
      tools: [{ name: "get_weather", description: "Wetter", input_schema: city }],
    },
    endings: ['"type":"message"', "message_stop"],
  },
];

/** The same without the round, for templates that refuse it: Gemma 3's has no role for a tool. */
const withoutTools: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  chat: {
    messages: [
      { role: "system", content: "You are terse." },
      { role: "user", content: [{ type: "text", text: "Weather in Zürich? 天気は？ 🌦️" }] },
      { role: "assistant", content: "20 degrees" },
      { role: "user", content: "And tomorrow?" },
    ],
  },
  responses: {
    instructions: "You are terse.",
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Weather in Zürich? 天気は？ 🌦️" }] },
      { type: "reasoning", summary: [{ type: "summary_text", text: "A tool knows." }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "20 degrees" }] },
      { role: "user", content: "And tomorrow?" },
    ],
  },
  messages: {
    max_tokens: 8,
    system: "You are terse.",
    messages: [
      { role: "user", content: "Weather in Zürich? 天気は？ 🌦️" },
      { role: "assistant", content: [{ type: "text", text: "20 degrees" }] },
      { role: "user", content: [{ type: "text", text: "And tomorrow?" }] },
    ],
  },
};

/** Every API, as one answer and as a stream, with what the model's template takes. */
export function liveRequests(model: string): readonly LiveRequest[] {
  return apis.flatMap(({ name, path, body: usual, endings: [whole, last] }) => {
    const body = (model === "gemma3" ? withoutTools[name] : undefined) ?? usual;
    return [
      { name, path, body: { ...body, stream: false }, isStream: false, ending: whole ?? "" },
      { name: `${name}, streaming`, path, body: { ...body, stream: true }, isStream: true, ending: last ?? "" },
    ];
  });
}
