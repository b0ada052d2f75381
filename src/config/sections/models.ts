import { z } from "zod";
import { count, name } from "../setting-types.ts";

const frontend = z
  .strictObject({
    reasoningParser: name()
      .optional()
      .describe(
        "Its reasoning parser (`--dyn-reasoning-parser` of the workers). With one, Messages that do not turn thinking off turn it on; the parsers of Kimi K2.5 and K3 turn it on unless the client says otherwise, and that of MiniMax M3 puts it in its template's words. When absent: none.",
      ),
    toolCallParser: name()
      .optional()
      .describe(
        "Its tool call parser (`--dyn-tool-call-parser` of the workers): `glm47` hands arguments of earlier calls to the template as objects, those of Kimi K3 and MiniMax M3 turn thinking off where a tool must be called. When absent: none.",
      ),
    defaultThinkingMode: z
      .enum(["enabled", "disabled"])
      .optional()
      .describe(
        "Whether the model thinks where the client does not say (`default_thinking_mode` in the workers' runtime data). When absent: its template decides.",
      ),
    excludeToolsWhenToolChoiceNone: z
      .boolean()
      .default(true)
      .describe(
        "Whether a prompt shows no tools when the client wants none called (`exclude_tools_when_tool_choice_none` of the workers).",
      ),
  })
  .prefault({})
  .describe(
    "What the workers of a model with profile `dynamo` tell their frontend about it, as far as prompts depend on it.",
  );

const model = z.strictObject({
  name: name().describe("The name that requests and workers use."),
  aliases: z.array(name()).default([]).describe("Other names under which requests may ask for it."),
  adapters: z
    .array(name())
    .default([])
    .describe(
      "LoRA adapters of the model, by the names under which requests ask for them and engines load them. What they cache is apart from the model's.",
    ),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Folder with `tokenizer.json`, `tokenizer_config.json`, `chat_template.jinja` as published with the model. This or `hubId` is needed unless `loadOnly`.",
    ),
  hubId: z
    .string()
    .regex(/^(?!\.)[\w.-]+\/(?!\.)[\w.-]+$/, "expected org/name")
    .optional()
    .describe(
      "The model's id on the Hugging Face hub, as `Qwen/Qwen3-8B`: its files are downloaded at the start, once.",
    ),
  hubRevision: z
    .string()
    .regex(/^(?!\.)[\w.-]+$/, "expected a branch, a tag or a commit")
    .default("main")
    .describe("Branch, tag or commit of `hubId`. A commit pins the files, and needs no hub once they are there."),
  profile: z
    .enum(["dynamo", "vllm", "sglang"])
    .default("dynamo")
    .describe("Who turns the request into tokens behind the gateway: the Dynamo frontend, or the engine's own server."),
  blockSize: count(1).default(16).describe("Tokens in a KV block; must be what the workers use."),
  isEagle: z
    .boolean()
    .default(false)
    .describe(
      "Whether the engine caches pairs of tokens, as SGLang does with EAGLE speculative decoding (its KV events then have pairs for tokens).",
    ),
  maxIndexBytes: count(1_048_576)
    .max(8 * 1_073_741_824)
    .default(512 * 1_048_576)
    .describe(
      "Most memory of the prefix index, over all workers, in bytes: at least one cached block for each 112 bytes. When it is full the oldest leaves are forgotten.",
    ),
  tokenizerView: z
    .enum(["raw", "transformers5", "sglang"])
    .optional()
    .describe(
      "Whose reading of the tokenizer's files counts: `raw` takes `tokenizer.json` as it stands; `transformers5` is what transformers 5, and with it vLLM, makes of it; `sglang` is what SGLang makes of that. They differ for the class LlamaTokenizer, for files that are not what their class builds and, in `sglang`, by `add_bos_token`. When absent: `raw` for the profile `dynamo`, `transformers5` for `vllm`, `sglang` for `sglang`.",
    ),
  frontend,
  sglangReasoningParser: name()
    .optional()
    .describe(
      "What `--reasoning-parser` is given when SGLang serves this model: it decides how Messages turn thinking on and off, and what stands around the thinking of earlier turns. When absent: none, as SGLang itself has by default.",
    ),
  engineVersion: z
    .string()
    .regex(/^v?\d+\.\d+\.\d+/, "expected a release as 0.5.23")
    .transform((version) => version.replace(/^v/, ""))
    .optional()
    .describe(
      "Release of vLLM or SGLang that serves the model, as `0.5.22`: before SGLang 0.5.23 templates get tools in another form. Conversations are known from vLLM 0.30.0 and SGLang 0.5.20 on (Responses from 0.5.22, gpt-oss in Harmony's format of the newest alone); otherwise they are placed by load, and only completions by their tokens. When absent: the newest that is known, vLLM 0.33.0 and SGLang 0.5.23.",
    ),
  chatTemplateArgs: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/, "expected the name of a variable"),
      z.union([z.string(), z.number(), z.boolean(), z.null()]),
    )
    .default({})
    .describe(
      "What the engine is given as `--default-chat-template-kwargs`: variables of the template that requests do not set, as `enable_thinking: false`.",
    ),
  mistralCommon: z
    .enum(["auto", "always", "never"])
    .default("auto")
    .describe(
      "Whether the engine reads Mistral's own tokenizer files (`tekken.json`, `tokenizer.model.v*`), as vLLM's `--tokenizer-mode mistral` does; its prompts are then not known, and requests are placed by load. `auto`: where the model's repository holds such files, for `vllm` beside `consolidated*.safetensors`; a folder with such files and no weights counts as one with them.",
    ),
  loadOnly: z
    .boolean()
    .default(false)
    .describe("Whether requests are placed by load only, without looking at their tokens."),
});

/** The served models. */
export const models = z.array(model).default([]).describe("The served models.");

/** What happens to a request for a model that is not configured. */
export const unknownModel = z
  .enum(["refuse", "load"])
  .default("refuse")
  .describe("A request for a model that is not configured: `refuse` answers 404, `load` places it by load only.");

const rewriteTarget = z.strictObject({
  model: name().describe("The name under which requests go on."),
  weight: count(1)
    .max(1_000_000)
    .optional()
    .describe(
      "Its part of the requests, against the other targets' weights. All of a rule's targets have one, or none has.",
    ),
});

const rewrite = z.strictObject({
  models: z.array(name()).default([]).describe("Names of models as requests have them; empty = every request."),
  targets: z.array(rewriteTarget).min(1).describe("What they become; with several, each request gets one at random."),
});

/** Under which names models go on. */
export const modelRewrites = z
  .array(rewrite)
  .default([])
  .describe(
    "Other names under which requests for a model go on to the workers; answers have the client's name. A rule that names the model wins over one for every request, then the first. InferenceModelRewrites of Kubernetes come after these.",
  );
