import type { Config, ModelSettings } from "../config/index.ts";
import { blocksWithin, GuessedBlocks, PrefixIndex } from "../kv/index.ts";
import { type FrontendSettings, LateModel, type ModelOptions, profileByName } from "../model/index.ts";
import { ModelRegistry, type PrepareOptions, type PromptPipeline, type ServedModel } from "../router/index.ts";

/** The configured models, before their files have been read. */
export interface ServedModels {
  readonly registry: ModelRegistry;
  /** By the model's place in the settings; undefined for one that is placed by load only. */
  readonly late: readonly (LateModel | undefined)[];
}

export function servedModels(config: Config): ServedModels {
  const late = config.models.map((settings) => (hasFiles(settings) ? lateModel(settings) : undefined));
  const registry = new ModelRegistry(
    config.models.map((settings, at) => {
      const { blockSize, maxIndexBytes } = settings;
      const guesses = new GuessedBlocks({ maxBlocks: blocksWithin(config.approximateIndex.maxBytes) });
      const { maxWaitingBlocks: maxOrphans } = config.kvEvents;
      const index = new PrefixIndex({ blockSize, maxBlocks: blocksWithin(maxIndexBytes), maxOrphans, guesses });
      return servedModel(settings, late[at], index);
    }),
  );
  return { registry, late };
}

/** A model as the router sees it. */
export function servedModel(
  { name, aliases, adapters, isEagle, profile, frontend }: ModelSettings,
  pipeline: PromptPipeline | undefined,
  index: PrefixIndex,
): ServedModel {
  const names = { name, aliases, adapters };
  return pipeline === undefined
    ? { ...names, pipeline, dialect: profileByName(profile).dialect, index }
    : { ...names, isEagle, pipeline, hasReasoningParser: frontend.reasoningParser !== undefined, index };
}

/** Whether the tokens of a model's requests are looked at. */
export function hasFiles({ loadOnly, folder, hubId }: ModelSettings): boolean {
  return !loadOnly && (folder ?? hubId) !== undefined;
}

export function lateModel({ profile, blockSize }: ModelSettings): LateModel {
  return new LateModel(profileByName(profile), blockSize);
}

/** What reading a model's files depends on. */
export function modelOptions(
  {
    name,
    profile,
    blockSize,
    tokenizerView,
    sglangReasoningParser,
    mistralCommon,
    engineVersion,
    frontend,
    chatTemplateArgs,
  }: ModelSettings,
  { maxPromptCharacters, templates }: Config["tokenizer"],
): ModelOptions {
  const { maxSteps: maxWork, maxCharacters: maxLength, timeZone } = templates;
  return {
    name,
    profile: profileByName(profile),
    blockSize,
    maxPromptLength: maxPromptCharacters,
    templateSettings: { limits: { maxWork, maxLength }, timeZone },
    mistralCommon,
    templateArgs: chatTemplateArgs,
    frontend: frontendSettings(frontend),
    ...(engineVersion === undefined ? {} : { engineVersion }),
    ...(tokenizerView === undefined ? {} : { tokenizerView }),
    ...(sglangReasoningParser === undefined ? {} : { reasoningParser: sglangReasoningParser }),
  };
}

function frontendSettings({
  excludeToolsWhenToolChoiceNone: excludesUnwantedTools,
  ...settings
}: ModelSettings["frontend"]): FrontendSettings {
  return { ...settings, excludesUnwantedTools };
}

/** How requests are read. */
export function prepareOptions({ routing, unknownModel, mode }: Config): Omit<PrepareOptions, "jsonReader"> {
  const { refuseUnknownShapes, maxJsonDepth } = routing;
  // The proxy stands before engines of any kind: what it does not know is theirs to refuse.
  return { refuseUnknownShapes, maxJsonDepth, unknownModel, dialect: mode === "proxy" ? "engine" : "dynamo" };
}
