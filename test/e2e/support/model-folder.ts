import { ensureModelFolder } from "../../../scripts/models.ts";

/** Folder of the model that tests and the demo serve: Qwen3's tokenizer and chat template. */
export function testModelFolder(): string {
  return ensureModelFolder("qwen3");
}
