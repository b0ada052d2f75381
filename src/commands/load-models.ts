import { type Config, readModelFolder } from "../config/index.ts";
import { Model } from "../model/index.ts";
import { CacheBudget } from "../tokenizer/index.ts";
import { modelFolderOf } from "./model-folder.ts";
import { modelOptions, type ServedModels } from "./served-models.ts";

/** Loads every model in this thread, which it blocks. Rejects, naming the model, when a file is missing or cannot be used. */
export async function loadModels(config: Config, { late }: ServedModels): Promise<void> {
  const cache = new CacheBudget(config.tokenizer.cacheBytes);
  for (const [at, settings] of config.models.entries()) {
    const model = late[at];
    if (model === undefined) continue;
    try {
      const { folder } = await modelFolderOf(settings, config.hub);
      const options = { ...modelOptions(settings, config.tokenizer), cache };
      model.set(await Model.load(options, await readModelFolder(folder)));
    } catch (cause) {
      throw loadError(settings.name, cause);
    }
  }
}

/** A model that cannot be loaded, by its name. */
export function loadError(name: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`model ${name} cannot be loaded: ${reason}`, { cause });
}
