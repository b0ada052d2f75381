import { access } from "node:fs/promises";
import type { Writable } from "node:stream";
import { type Config, ConfigError, readModelFolder, renderConfig } from "../config/index.ts";
import { readListenerPems } from "../http/index.ts";
import { apiKeysOf } from "./api-keys.ts";
import { assertServable } from "./assert-servable.ts";
import { tlsOf } from "./listener-tls.ts";
import { modelFolderOf } from "./model-folder.ts";
import { modesOf } from "./modes.ts";
import { hasFiles } from "./served-models.ts";
import { workerKeysOf, workerTlsOf } from "./worker-access.ts";
import { configuredWorkers } from "./worker-entries.ts";

/**
 * Prints the settings with their defaults, after the checks that need more than the schema: workers, and the files that
 * are named.
 * Rejects with RangeError or ConfigError.
 */
export async function checkConfig(config: Config, output: Writable): Promise<void> {
  assertServable(config);
  configuredWorkers(config);
  for (const model of config.models)
    if (hasFiles(model)) await readModelFolder((await modelFolderOf(model, config.hub)).folder);
  const { extProc, routeApi, proxy, queue, replicas } = config;
  for (const [path, tls] of [
    ["extProc.tls", extProc.tls] as const,
    ["routeApi.tls", routeApi.tls] as const,
    ["proxy.tls", proxy.tls] as const,
    ["queue.tls", queue.tls] as const,
  ]) {
    await assertServableTls(path, tls);
  }
  await assertReadable("kubernetes.kubeconfig", config.kubernetes.kubeconfig);
  await assertReadable("routeApi.tokenFile", routeApi.tokenFile);
  if (modesOf(config).includes("proxy")) await Promise.all([apiKeysOf(proxy, "proxy"), workerKeysOf(config)]);
  await workerTlsOf(config);
  if (modesOf(config).includes("queue")) await assertQueueFiles(queue);
  await assertReplicaFiles(replicas);
  output.write(renderConfig(config));
}

/** Files that are there, and hold what a listener can be started with. */
async function assertServableTls(path: string, settings: Config["extProc"]["tls"]): Promise<void> {
  const { certFile, keyFile, clientCaFile } = settings;
  const tls = tlsOf(settings);
  if (tls.kind === "files") await Promise.all([assertReadable(path, certFile), assertReadable(path, keyFile)]);
  await assertReadable(`${path}.clientCaFile`, clientCaFile);
  if (tls.kind === "off") return;
  try {
    await readListenerPems(tls);
  } catch (cause) {
    throw new ConfigError([`${path}: ${(cause as Error).message}`], { cause });
  }
}

/** The files of what is not used are not needed. */
async function assertReplicaFiles({ redis, peers }: Config["replicas"]): Promise<void> {
  if (peers.urls.length > 0) {
    for (const key of ["tokenFile", "caFile"] as const) await assertReadable(`replicas.peers.${key}`, peers[key]);
  }
  if (redis.url !== undefined) await assertRedisFiles("replicas.redis", redis);
}

async function assertQueueFiles(queue: Config["queue"]): Promise<void> {
  await apiKeysOf(queue, "queue");
  await assertRedisFiles("queue.redis", queue.redis);
  await assertReadable("queue.redis.sentinel.passwordFile", queue.redis.sentinel.passwordFile);
}

async function assertRedisFiles(
  path: string,
  { passwordFile, tls }: Pick<Config["queue"]["redis"], "passwordFile" | "tls">,
): Promise<void> {
  await assertReadable(`${path}.passwordFile`, passwordFile);
  for (const key of ["caFile", "certFile", "keyFile"] as const) await assertReadable(`${path}.tls.${key}`, tls[key]);
}

async function assertReadable(path: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await access(file);
  } catch (cause) {
    throw new ConfigError([`${path}: ${file} cannot be read`], { cause });
  }
}
