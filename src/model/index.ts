export { type CompiledModel, type CompileOptions, compileModel, officialTokenizer } from "./compiled-model.ts";
export type { FrontendSettings } from "./frontend-settings.ts";
export { LateModel } from "./late-model.ts";
export { Model, type ModelOptions } from "./model.ts";
export type { ModelFiles } from "./model-files.ts";
export { ModelLoadError } from "./model-load-error.ts";
export { type Profile, type ProfileName, profileByName } from "./profile.ts";
export type { PromptHead, TokenizedPrompt } from "./tokenized-prompt.ts";
export type { MistralCommon } from "./unknown-prompts.ts";
