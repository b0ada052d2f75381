export { Model, type ModelOptions } from "./model.ts";
export type { ModelFiles } from "./model-files.ts";
export { ModelLoadError } from "./model-load-error.ts";
export { type Profile, type ProfileName, profileByName } from "./profile.ts";
export type { TokenizedPrompt } from "./tokenized-prompt.ts";
