/** Marks between which models think, in the words of their chat templates. */
const blocks: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<seed:think>", "</seed:think>"],
  ["<mm:think>", "</mm:think>"],
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|inner_prefix|>", "<|inner_suffix|>"],
  ["<|channel>thought", "<channel|>"],
  ["<|channel|>analysis", "<|end|>"],
];

/** Whether a prompt's tail opens a block of reasoning and does not close it: the model's next token is no answer then. */
export function endsInReasoning(tail: string): boolean {
  return blocks.some(([open, close]) => tail.lastIndexOf(open) > tail.lastIndexOf(close));
}

/** Parsers of models that think whatever the template is told. Source: ai-dynamo/dynamo, System One's documentation. */
const alwaysThinking: ReadonlySet<string> = new Set(["deepseek_r1", "step3", "gpt_oss", "kimi"]);

/** Whether a model that is served with this reasoning parser always thinks. @param parser as Dynamo or SGLang spells it */
export function alwaysReasons(parser: string | undefined): boolean {
  return parser !== undefined && alwaysThinking.has(parser.replaceAll("-", "_").toLowerCase());
}
