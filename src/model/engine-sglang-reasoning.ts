import { type TemplateNode, templateNodes, templateSyntax, UnsupportedTemplateError } from "../template/index.ts";

/** How a template lets thinking be switched (sglang@0.5.23 parser/template_detection.py REASONING_MODE_RULES). */
export interface SglangReasoningMode {
  /** The template argument that switches it. */
  readonly toggle?: string;
  readonly special?: "always" | "mistral" | "hunyuan";
  /** A template argument that a low effort turns on. */
  readonly effortSwitch?: string;
}

interface Rule {
  readonly mode: SglangReasoningMode;
  readonly fits: (source: string) => boolean;
}

const thinkingPrompt = /<\|im_start\|>assistant\\n<think>\\n/;

function all(...words: readonly string[]): (source: string) => boolean {
  return (source) => words.every((word) => source.includes(word));
}

/** The first that fits decides. */
const rules: readonly Rule[] = [
  { mode: { special: "always" }, fits: all("<ifm|think>", "<ifm|think_fast>", "reasoning_effort") },
  { mode: { special: "always" }, fits: all("<|channel|>") },
  {
    mode: { special: "always" },
    fits: (source) =>
      thinkingPrompt.test(source) && !source.includes("enable_thinking") && !source.includes("thinking"),
  },
  { mode: { special: "always" }, fits: isGlm53Template },
  { mode: { special: "mistral" }, fits: all("reasoning_effort", "[THINK]") },
  { mode: { special: "hunyuan" }, fits: all("reasoning_effort", "reasoning_mode_token", "no_think") },
  { mode: { toggle: "enable_thinking" }, fits: (source) => setsDefault(source, "enable_thinking", false) },
  {
    mode: { toggle: "enable_thinking", effortSwitch: "low_effort" },
    fits: all("low_effort", "truncate_history_thinking"),
  },
  { mode: { toggle: "enable_thinking" }, fits: (source) => isOnByDefault(source, "enable_thinking") },
  { mode: { toggle: "thinking" }, fits: (source) => setsDefault(source, "thinking", false) },
  { mode: { toggle: "thinking" }, fits: (source) => isOnByDefault(source, "thinking") },
];

/** Of a template that says nothing an empty object. */
export function sglangReasoningMode(source: string): SglangReasoningMode {
  return rules.find(({ fits }) => fits(source))?.mode ?? {};
}

/** A template of the GLM-5.3 family, by what SGLang looks for. */
export function isGlm53Template(source: string): boolean {
  const words = all("[gMASK]<sop>", "Reasoning Effort:", "<tool_call>", "<arg_key>", "<arg_value>");
  return words(source) && !source.includes("enable_thinking");
}

/** `if not x is defined` and later `set x = …`, or the `default` filter. */
function setsDefault(source: string, name: string, value: boolean): boolean {
  const word = value ? "(?:true|True)" : "(?:false|False)";
  const test = new RegExp(
    `\\{%\\s*if\\s+not\\s+${name}\\s+is\\s+defined\\s*%\\}.*?\\{%\\s*set\\s+${name}\\s*=\\s*${word}\\s*%\\}`,
    "s",
  );
  return test.test(source) || hasDefaultFilter(source, name, value);
}

function isOnByDefault(source: string, name: string): boolean {
  if (setsDefault(source, name, true)) return true;
  return [
    `set\\s+${name}\\s*=\\s*${name}\\s+if\\s+${name}\\s+is\\s+defined\\s+else\\s+(?:true|True)`,
    `${name}\\s+is\\s+defined\\s+and\\s+(?:${name}\\s+is\\s+false|not\\s+${name})`,
    `${name}\\s+is\\s+not\\s+defined\\s+or\\s+${name}`,
    `namespace\\([^)]*${name}\\s*=\\s*true`,
  ].some((pattern) => new RegExp(pattern).test(source));
}

/** `x | default(value)`; with a second argument that is true, a default of true would make the switch useless. */
function hasDefaultFilter(source: string, name: string, value: boolean): boolean {
  return nodesOf(source).some((node) => {
    if (node.type !== "filter" || (node.name !== "default" && node.name !== "d")) return false;
    return node.operand?.type === "name" && node.operand.name === name && defaultOf(node.args) === value;
  });
}

/** The value that the filter puts in place of an undefined one; undefined when it is none of a working switch. */
function defaultOf(args: (TemplateNode & { readonly type: "filter" })["args"]): unknown {
  const { positional, named, spread, namedSpread } = args;
  const [fallback, second] = positional;
  if (spread !== undefined || namedSpread !== undefined || fallback?.type !== "const") return undefined;
  const replacesFalse = second ?? named.find(([key]) => key === "boolean")?.[1];
  if (replacesFalse === undefined) return fallback.value;
  if (replacesFalse.type !== "const") return undefined;
  return replacesFalse.value && fallback.value === true ? undefined : fallback.value;
}

function nodesOf(source: string): readonly TemplateNode[] {
  try {
    return [...templateNodes(templateSyntax(source))];
  } catch (error) {
    if (error instanceof UnsupportedTemplateError) return [];
    throw error;
  }
}
