import { deepseekV4 } from "./deepseek/v4.ts";
import { deepseekV32 } from "./deepseek/v32.ts";
import { deepseekV41 } from "./deepseek/v41.ts";
import { kimiK3 } from "./kimi-k3/kimi-k3.ts";
import type { NativeRenderer } from "./native-renderer.ts";

/** Models that the frontend renders in code of its own. */
export type NativeFamily = "kimi-k3" | "deepseek-v4.1" | "deepseek-v4" | "deepseek-v3.2";

const renderers: Readonly<Record<NativeFamily, NativeRenderer>> = {
  "kimi-k3": kimiK3,
  "deepseek-v4.1": deepseekV41,
  "deepseek-v4": deepseekV4,
  "deepseek-v3.2": deepseekV32,
};

export function rendererOf(family: NativeFamily): NativeRenderer {
  return renderers[family];
}

interface FamilySigns {
  readonly family: NativeFamily;
  readonly isType: (modelType: string, name: string) => boolean;
  /** Asked where the model has no type. */
  readonly isName: (name: string) => boolean;
}

/** In the order in which the frontend asks (dynamo-renderer@8.0.3 template.rs, dynamo-llm@1.6.1 preprocessor/prompt.rs). */
const signs: readonly FamilySigns[] = [
  {
    family: "kimi-k3",
    isType: (type) => type === "kimi_k3",
    isName: (name) => /kimi[-_]?k3/.test(name),
  },
  {
    family: "deepseek-v4.1",
    isType: (type) => type === "deepseek_v41",
    isName: (name) => /^deepseek[-_.]?v4\.1(?![^-_.])/.test(name),
  },
  {
    family: "deepseek-v4",
    isType: (type) => type === "deepseek_v4",
    isName: (name) => /^deepseek[-_.]?v4(?![^-_.])/.test(name),
  },
  {
    family: "deepseek-v3.2",
    isType: (type, name) => (type === "deepseek_v3_2" || type === "deepseek_v32") && !name.includes("exp"),
    isName: (name) => name.includes("deepseek") && name.includes("v3.2") && !name.includes("exp"),
  },
];

/**
 * The family of a model; undefined where its chat template renders it.
 * @param modelType `model_type` of its config.json; undefined or "" where it has none
 * @param name that it is served under
 */
export function nativeFamilyOf(modelType: string | undefined, name: string): NativeFamily | undefined {
  const type = modelType?.toLowerCase() ?? "";
  const lowerName = name.toLowerCase();
  return signs.find(({ isType, isName }) => (type === "" ? isName(lowerName) : isType(type, lowerName)))?.family;
}
