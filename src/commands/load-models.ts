import { type Config, type ModelSettings, readModelFolder } from "../config/index.ts";
import { PrefixIndex } from "../kv/index.ts";
import { Model, profileByName } from "../model/index.ts";
import { ModelRegistry, type ServedModel } from "../router/index.ts";

/** Loads every configured model. Rejects, naming the model, when a file is missing or cannot be used. */
export async function loadModels(config: Config): Promise<ModelRegistry> {
  return new ModelRegistry(await Promise.all(config.models.map(loadModel)));
}

async function loadModel(settings: ModelSettings): Promise<ServedModel> {
  const { name, aliases, folder, profile, blockSize, maxIndexBlocks, loadOnly } = settings;
  const index = new PrefixIndex({ blockSize, maxBlocks: maxIndexBlocks });
  if (loadOnly || folder === undefined) return { name, aliases, pipeline: undefined, index };
  try {
    const files = await readModelFolder(folder);
    const pipeline = await Model.load({ name, profile: profileByName(profile), blockSize }, files);
    return { name, aliases, pipeline, index };
  } catch (cause) {
    throw new Error(`model ${name} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
