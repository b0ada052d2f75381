import { type Config, type ModelSettings, readModelFolder } from "../config/index.ts";
import { blocksWithin, GuessedBlocks, PrefixIndex } from "../kv/index.ts";
import { Model, type ModelOptions, profileByName } from "../model/index.ts";
import { ModelRegistry, type ServedModel } from "../router/index.ts";
import { CacheBudget } from "../tokenizer/index.ts";

/** Loads every configured model. Rejects, naming the model, when a file is missing or cannot be used. */
export async function loadModels(config: Config): Promise<ModelRegistry> {
  const { maxPromptCharacters, cacheBytes } = config.tokenizer;
  const shared = {
    maxPromptLength: maxPromptCharacters,
    cache: new CacheBudget(cacheBytes),
    maxGuessBytes: config.approximateIndex.maxBytes,
  };
  return new ModelRegistry(await Promise.all(config.models.map((settings) => loadModel(settings, shared))));
}

type SharedOptions = Required<Pick<ModelOptions, "maxPromptLength" | "cache">> & { readonly maxGuessBytes: number };

async function loadModel(settings: ModelSettings, shared: SharedOptions): Promise<ServedModel> {
  const { name, aliases, folder, profile, tokenizerView, blockSize, maxIndexBytes, loadOnly } = settings;
  const { reasoningParser: hasReasoningParser } = settings;
  const guesses = new GuessedBlocks({ maxBlocks: blocksWithin(shared.maxGuessBytes) });
  const index = new PrefixIndex({ blockSize, maxBlocks: blocksWithin(maxIndexBytes), guesses });
  if (loadOnly || folder === undefined) return { name, aliases, pipeline: undefined, index };
  try {
    const files = await readModelFolder(folder);
    const pipeline = await Model.load(
      {
        ...shared,
        name,
        profile: profileByName(profile),
        blockSize,
        ...(tokenizerView === undefined ? {} : { tokenizerView }),
      },
      files,
    );
    return { name, aliases, pipeline, hasReasoningParser, index };
  } catch (cause) {
    throw new Error(`model ${name} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
