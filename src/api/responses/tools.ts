import { JsonObject, type JsonValue } from "../../json/index.ts";
import {
  anyValue,
  FieldError,
  firstOf,
  flag,
  float32,
  listOf,
  oneOf,
  optional,
  type Reader,
  required,
  struct,
  tagged,
  text,
  u8,
  u32,
  u64,
  withDefault,
} from "../fields/index.ts";

// Shapes: async-openai@0.42.3 types/responses/response.rs Tool and types/mcp/mcp_.rs.

const allowedCallers = optional(listOf(oneOf("direct", "programmatic")));
const optionalText = optional(text);

const functionFields = {
  name: required(text),
  description: optionalText,
  parameters: optional(anyValue),
  strict: optional(flag),
  defer_loading: optional(flag),
  async: optional(flag),
  output_schema: optional(anyValue),
  allowed_callers: allowedCallers,
};

/** A function that the client runs. */
export interface FunctionToolItem {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: JsonValue | undefined;
  readonly strict?: boolean | undefined;
}

/** Functions under a common name. */
export interface NamespaceTool {
  readonly type: "namespace";
  readonly name: string;
  readonly tools: readonly (FunctionToolItem | { readonly type: "custom" })[];
}

/** Anything else is run by the server, and has no form in chat. */
export type ResponsesTool = FunctionToolItem | NamespaceTool | { readonly type: HostedToolType };

const customFields = {
  name: required(text),
  description: optionalText,
  format: required(
    tagged<object>("type", {
      text: struct({}),
      grammar: struct({ definition: required(text), syntax: required(oneOf("lark", "regex")) }),
    }),
  ),
  defer_loading: optional(flag),
  async: optional(flag),
  allowed_callers: allowedCallers,
};

const webSearch = struct({
  filters: optional(struct({ allowed_domains: optional(listOf(text)) })),
  user_location: optional(
    struct({
      type: withDefault<string>(oneOf("approximate"), "approximate"),
      city: optionalText,
      country: optionalText,
      region: optionalText,
      timezone: optionalText,
    }),
  ),
  search_context_size: optional(oneOf("low", "medium", "high")),
  search_content_types: optional(listOf(oneOf("text", "image"))),
  external_web_access: optional(flag),
});

const mcpFilter = struct({ read_only: optional(flag), tool_names: optional(listOf(text)) });

const mcp = struct({
  server_label: required(text),
  allowed_tools: optional(firstOf<unknown, unknown>(listOf(text), mcpFilter, "must be tool names or a filter")),
  authorization: optionalText,
  connector_id: optional(
    oneOf(
      "connector_dropbox",
      "connector_gmail",
      "connector_googlecalendar",
      "connector_googledrive",
      "connector_microsoftteams",
      "connector_outlookcalendar",
      "connector_outlookemail",
      "connector_sharepoint",
    ),
  ),
  headers: optional(anyValue),
  require_approval: optional(
    firstOf<unknown, unknown>(
      struct({ always: optional(mcpFilter), never: optional(mcpFilter) }),
      oneOf("always", "never"),
      "must be always, never or a filter",
    ),
  ),
  server_description: optionalText,
  server_url: optionalText,
  defer_loading: optional(flag),
  tunnel_id: optionalText,
  allowed_callers: allowedCallers,
});

const filter: Reader<unknown> = (value, duplicates) => {
  const type = value instanceof JsonObject ? value.get("type") : undefined;
  return (type === "and" || type === "or" ? compoundFilter : comparisonFilter)(value, duplicates);
};
const comparisonFilter = struct({
  type: required(oneOf("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin")),
  key: required(text),
  value: required(anyValue),
});
const compoundFilter: Reader<unknown> = struct({
  type: required(oneOf("and", "or")),
  filters: required(listOf((value, duplicates) => filter(value, duplicates))),
});

const fileSearch = struct({
  vector_store_ids: required(listOf(text)),
  max_num_results: optional(u32),
  filters: optional(filter),
  ranking_options: optional(
    struct({
      hybrid_search: optional(struct({ embedding_weight: required(float32), text_weight: required(float32) })),
      ranker: required(oneOf("auto", "default-2024-11-15")),
      score_threshold: optional(float32),
    }),
  ),
});

const codeInterpreter = struct({
  container: required((value, duplicates) => (typeof value === "string" ? value : autoContainer(value, duplicates))),
  allowed_callers: allowedCallers,
});
const autoContainer = tagged<object>("type", {
  auto: struct({ file_ids: optional(listOf(text)), memory_limit: optional(u64) }),
});

const imageGeneration = struct({
  background: optional(oneOf("transparent", "opaque", "auto")),
  input_fidelity: optional(oneOf("high", "low")),
  input_image_mask: optional(struct({ image_url: optionalText, file_id: optionalText })),
  model: optionalText,
  moderation: optional(oneOf("auto", "low")),
  output_compression: optional(u8),
  output_format: optional(oneOf("png", "webp", "jpeg")),
  partial_images: optional(u8),
  quality: optional(oneOf("low", "medium", "high", "xhigh", "max", "auto")),
  size: optionalText,
  action: optional(oneOf("generate", "edit", "auto")),
});

/** Its environment is not looked into: the tool is refused whatever it says. */
const shell = struct({ environment: optional(anyValue), allowed_callers: allowedCallers });

const hostedTools = {
  file_search: fileSearch,
  computer_use_preview: struct({
    environment: required(oneOf("windows", "mac", "linux", "ubuntu", "browser")),
    display_width: required(u32),
    display_height: required(u32),
  }),
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearch,
  web_search_preview_2025_03_11: webSearch,
  mcp,
  code_interpreter: codeInterpreter,
  programmatic_tool_calling: struct({}),
  image_generation: imageGeneration,
  local_shell: struct({}),
  shell,
  custom: struct(customFields),
  computer: struct({}),
  tool_search: struct({
    execution: optional(oneOf("server", "client")),
    description: optionalText,
    parameters: optional(anyValue),
  }),
  apply_patch: struct({ allowed_callers: allowedCallers }),
};

type HostedToolType = keyof typeof hostedTools;

export const responsesTool = tagged<object>("type", {
  function: struct(functionFields),
  namespace: struct({
    name: required(text),
    description: required(text),
    tools: required(listOf(tagged<object>("type", { function: struct(functionFields), custom: struct(customFields) }))),
  }),
  ...hostedTools,
}) as Reader<ResponsesTool>;

/** How the model is to choose among the tools. */
export type ResponsesToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "allowed_tools"; readonly mode: "auto" | "required"; readonly tools: readonly JsonValue[] }
  | { readonly type: "function"; readonly name: string }
  | { readonly type: "hosted" };

const specificChoice = tagged<object>("type", {
  allowed_tools: struct({ mode: required(oneOf("auto", "required")), tools: required(listOf(anyValue)) }),
  function: struct({ name: required(text) }),
  mcp: struct({ name: required(text), server_label: required(text) }),
  custom: struct({ name: required(text) }),
  ...Object.fromEntries(
    [
      "programmatic_tool_calling",
      "apply_patch",
      "shell",
      "file_search",
      "web_search_preview",
      "computer",
      "computer_use_preview",
      "computer_use",
      "web_search_preview_2025_03_11",
      "code_interpreter",
      "image_generation",
    ].map((type) => [type, struct({})]),
  ),
}) as Reader<{ readonly type: string }>;

/** A mode may also come as an object of that type (Anthropic's spelling); its other members are ignored. */
export const responsesToolChoice: Reader<ResponsesToolChoice> = (value) => {
  const mode = value instanceof JsonObject ? value.get("type") : value;
  if (mode === "none" || mode === "auto" || mode === "required") return mode;
  if (!(value instanceof JsonObject)) throw new FieldError("must be none, auto, required or an object");
  const choice = specificChoice(value, "last");
  return choice.type === "allowed_tools" || choice.type === "function"
    ? (choice as ResponsesToolChoice)
    : { type: "hosted" };
};
