import type { Buffer } from "node:buffer";

/** Contents of a model's folder, under Hugging Face's names. An adapter reads them. */
export interface ModelFiles {
  /** `tokenizer.json` */
  readonly tokenizerJson: Buffer;
  /** `tokenizer_config.json` */
  readonly tokenizerConfig: Buffer | undefined;
  /** `chat_template.jinja` */
  readonly chatTemplate: string | undefined;
  /** `chat_template.json` */
  readonly chatTemplateJson: Buffer | undefined;
  /** `config.json` */
  readonly config: Buffer | undefined;
  /** `generation_config.json` */
  readonly generationConfig: Buffer | undefined;
  /** Names of other files beside these, as far as they are known; in the repository that they come from, or in the folder. */
  readonly otherNames: readonly string[];
}
