import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Config, ConfigError, type ModelSettings, modelFileNames, repositoryListing } from "../config/index.ts";
import { fetchHubModel } from "../model-hub/index.ts";

/** Where a model's files lie. */
export interface ModelFolder {
  readonly folder: string;
  /** The hub could not be asked whether there is a newer revision. */
  readonly isStale: boolean;
}

/** The folder of a model, which is downloaded when it is named by its id on the hub. Rejects with HubError, ConfigError. */
export async function modelFolderOf(model: ModelSettings, hub: Config["hub"]): Promise<ModelFolder> {
  const { folder, hubId, hubRevision } = model;
  if (folder !== undefined) return { folder, isStale: false };
  if (hubId === undefined) throw new ConfigError([`model ${model.name} has neither a folder nor a hubId`]);
  const { url, tokenFile, timeoutMs, maxBytes } = hub;
  const cacheDir = hub.cacheDir ?? join(homedir(), ".cache", "huggingface", "hub");
  const token = tokenFile === undefined ? undefined : await readToken(tokenFile);
  const options = { url, token, cacheDir, timeoutMs, maxBytes, listing: repositoryListing };
  return fetchHubModel({ repo: hubId, revision: hubRevision }, modelFileNames, options);
}

async function readToken(file: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(file, "utf8")).trim();
  } catch (cause) {
    throw new ConfigError([`hub.tokenFile: ${file} cannot be read`], { cause });
  }
  if (!token.startsWith("hf_")) throw new ConfigError([`hub.tokenFile: ${file} holds no access token, hf_...`]);
  return token;
}
