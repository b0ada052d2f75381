import type { JsonObject } from "../json/index.ts";

/** Families whose prompts Dynamo builds in code of its own, or from a patched template (dynamo-renderer@8.0.3 template/). */
const byType = /^(deepseek_?v3_?2|deepseek_?v4|kimi_?k3|gemma4|minimax_?m2|inkling)/i;
const byName = /deepseek-?v(3\.2|4)|kimi-?k3/i;

/** Whether the frontend renders this model without its chat template. */
export function isRenderedNatively(config: JsonObject, modelName: string): boolean {
  const type = config.get("model_type");
  return typeof type === "string" ? byType.test(type) : byName.test(modelName);
}
