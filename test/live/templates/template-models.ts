import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ServedModel } from "../../../scripts/oracle/recording-worker.ts";
import type { FrontendSettings } from "../../../src/model/index.ts";
import { realTemplates } from "../../support/templates/fixtures.ts";
import { type ByteModelOptions, writeByteModel } from "./byte-model.ts";

const specialTokens = { bos_token: "<s>", eos_token: "</s>", unk_token: "<unk>" };

/** Kimi K3's signs; the frontend tokenizes between them piece by piece. */
const kimiSigns = ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>", "<|media_pad|>"];

/** Of a made model. */
interface MadeModel extends ByteModelOptions {
  readonly frontend?: FrontendSettings;
}

/** A model of which both sides are told the same. */
export interface TemplateModel extends ServedModel {
  readonly frontend: FrontendSettings;
}

/** Models whose prompts the frontend builds in code of its own, and templates that show a rule of its own. */
const nativeModels: Readonly<Record<string, MadeModel>> = {
  "native-deepseek-v32": { chatTemplate: undefined, config: { model_type: "deepseek_v32" } },
  "native-deepseek-v4": { chatTemplate: undefined, config: { model_type: "deepseek_v4" } },
  "native-kimi-k3": { chatTemplate: undefined, config: { model_type: "kimi_k3" }, addedTokens: kimiSigns },
  "native-deepseek-v41": { chatTemplate: undefined, config: { model_type: "deepseek_v41" } },
};

/** All that parsers and other settings of the workers can change. */
const settingsTemplate =
  "{{ [thinking, enable_thinking, thinking_mode, reasoning_effort, truncate_history_thinking] }}{% for m in messages %}{{ m | tojson }}{% endfor %}{{ tools | tojson }}";

const settings: Readonly<Record<string, FrontendSettings>> = {
  "settings-parser": { reasoningParser: "qwen3" },
  "settings-kimi": { reasoningParser: "kimi_k25", toolCallParser: "kimi_k2" },
  "settings-kimi-k3": { reasoningParser: "kimi_k3", toolCallParser: "kimi_k3" },
  "settings-minimax": { reasoningParser: "minimax_m3" },
  "settings-minimax-off": { toolCallParser: "minimax_m3", defaultThinkingMode: "disabled" },
  "settings-glm": { toolCallParser: "glm47", excludesUnwantedTools: false },
  "settings-thinks": { defaultThinkingMode: "enabled" },
};

const settingsModels: Readonly<Record<string, MadeModel>> = Object.fromEntries(
  Object.entries(settings).map(([name, frontend]) => [name, { chatTemplate: settingsTemplate, frontend }]),
);

const madeModels: Readonly<Record<string, MadeModel>> = {
  ...nativeModels,
  "native-kimi-k3-parsers": {
    ...nativeModels["native-kimi-k3"],
    chatTemplate: undefined,
    frontend: settings["settings-kimi-k3"] ?? {},
  },
  "native-deepseek-v4-off": {
    ...nativeModels["native-deepseek-v4"],
    chatTemplate: undefined,
    frontend: { defaultThinkingMode: "disabled", excludesUnwantedTools: false },
  },
  ...settingsModels,
};

const dump = "{% for m in messages %}{{ m | tojson }}\n{% endfor %}{{ tools | tojson }}{{ add_generation_prompt }}";
const refuseLateSystem = "{% if m.role == 'system' and not loop.first %}{{ raise_exception('late') }}{% endif %}";
const refuseRuns =
  "{% if not loop.first and m.role == 'user' and messages[loop.index0 - 1].role == 'user' %}{{ raise_exception('run') }}{% endif %}";

/** Templates that show what the frontend does to messages before it renders them. */
const dumpTemplates: Readonly<Record<string, string>> = {
  "dump-all": dump,
  "dump-strict": dump.replace("{{ m", `${refuseLateSystem}${refuseRuns}{{ m`),
  "dump-late": dump.replace("{{ m", `${refuseLateSystem}{{ m`),
  "dump-runs": dump.replace("{{ m", `${refuseRuns}{{ m`),
  "dump-parts": `{% for m in messages %}{% if m.content is not string %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}{% endfor %}${dump}`,
  "dump-phi": `${dump}{# <|end|> <|assistant|> #}`,
  "dump-llava": `${dump}{# USER: ASSISTANT: #}`,
  "pass-through": "{% for m in messages %}{{ m.content }}{% endfor %}",
  "dump-reasoning": `${dump}{# reasoning_content #}`,
  "reasoning-text":
    "{% for m in messages %}{{ m.content }}{% if m.reasoning_content is string %}<r>{{ m.reasoning_content }}</r>{% endif %}{{ m.tool_calls | tojson }}{% endfor %}",
  "arguments-text":
    "{% for m in messages %}{% for c in m.tool_calls %}{% if c.function.arguments is string %}{{ c.function.arguments }}{% else %}{{ c.function.arguments | tojson }}{% endif %}{% endfor %}{% endfor %}",
  "arguments-text-refused":
    "{% for m in messages %}{% for c in m.tool_calls %}{% if c.function.arguments is string %}{{ raise_exception('x') }}{% else %}{{ c.function.arguments | tojson }}{% endif %}{% endfor %}{% endfor %}",
  "bos-sum":
    "{{ bos_token + eos_token }}{% for m in messages %}{{ m.content }}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}",
  variables:
    "{% generation %}{{ [thinking, enable_thinking, thinking_mode, reasoning_effort, custom, bos_token, unk_token, documents] }}{% endgeneration %}{% for t in tools %}{% for k, v in t.function.items() %}{{ k }}={{ v }};{% endfor %}{% endfor %}",
};

/** The only tokenizer of the frontend's that reads a tokenizer.json and takes Kimi K3's segments; its ids are those of the others. */
export const segmentTokenizer = { DYN_TOKENIZER: "fastokens" };

/** The names of the templates that can be asked about. */
export function templateNames(): readonly string[] {
  return [...Object.keys(madeModels), ...Object.keys(dumpTemplates), ...realTemplates().keys()];
}

/** The template of a name; undefined for a model without one. */
export function templateSource(name: string): string | undefined {
  return name in madeModels ? madeModels[name]?.chatTemplate : (dumpTemplates[name] ?? realTemplates().get(name));
}

/** Makes the folders of models for templates. */
export function writeTemplateModels(folder: string, names: readonly string[]): readonly TemplateModel[] {
  const templates = realTemplates();
  return names.map((name) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    const { frontend = {}, ...options }: MadeModel = madeModels[name] ?? {
      chatTemplate: dumpTemplates[name] ?? templates.get(name),
    };
    writeByteModel(path, { ...options, tokenizerConfig: { ...specialTokens, ...options.tokenizerConfig } });
    return { name, folder: path, frontend, runtimeConfig: runtimeConfig(frontend) };
  });
}

/** As a worker tells it. */
function runtimeConfig({
  reasoningParser,
  toolCallParser,
  defaultThinkingMode,
  excludesUnwantedTools,
}: FrontendSettings): object {
  const members = {
    reasoning_parser: reasoningParser,
    tool_call_parser: toolCallParser,
    exclude_tools_when_tool_choice_none: excludesUnwantedTools,
    runtime_data: defaultThinkingMode === undefined ? undefined : { default_thinking_mode: defaultThinkingMode },
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
