import type { TemplateDialect } from "../template/index.ts";
import type { TokenizerView } from "../tokenizer/index.ts";

export type ProfileName = "dynamo" | "vllm" | "sglang";

/** Profiles of engines' own servers. */
export type Engine = Exclude<ProfileName, "dynamo">;

/** Who tokenizes at the backend, and what follows from it. */
export interface Profile {
  readonly name: ProfileName;
  /** The backend takes its tokens from `nvext.token_data`; the client's own are respected then. */
  readonly injectsTokens: boolean;
  /** A completion's prompt gets the tokenizer's BOS and the like, unless the body says otherwise. */
  readonly completionsAddSpecialTokens: boolean;
  /** The backend reads its worker from `x-dynamo-*` headers. */
  readonly setsDynamoHeaders: boolean;
  /** Other workers may be listed after the picked one. Not where the request names its worker: a retry would carry a wrong id. */
  readonly offersFallbacks: boolean;
  /** U+0000 is left out of the text before it is tokenized (dynamo@1.6.1, observed: after the template, in completions as well). */
  readonly dropsNul: boolean;
  /** Whose rules decide what a body may hold. */
  readonly dialect: "dynamo" | "engine";
  /** Whose Jinja renders the prompt. */
  readonly templateDialect: TemplateDialect;
  /** Whose reading of the tokenizer's files counts, unless the model says otherwise. */
  readonly tokenizerView: TokenizerView;
}

const engine = {
  injectsTokens: false,
  completionsAddSpecialTokens: true,
  dropsNul: false,
  setsDynamoHeaders: false,
  offersFallbacks: true,
  dialect: "engine",
  templateDialect: "huggingface",
} as const;

const profiles: Readonly<Record<ProfileName, Profile>> = {
  dynamo: {
    name: "dynamo",
    injectsTokens: true,
    completionsAddSpecialTokens: false,
    setsDynamoHeaders: true,
    offersFallbacks: false,
    dropsNul: true,
    dialect: "dynamo",
    templateDialect: "dynamo",
    tokenizerView: "raw",
  },
  vllm: { ...engine, name: "vllm", tokenizerView: "transformers5" },
  sglang: { ...engine, name: "sglang", tokenizerView: "sglang" },
};

export function profileByName(name: ProfileName): Profile {
  return profiles[name];
}
