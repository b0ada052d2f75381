import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type Config, ConfigError } from "../config/index.ts";
import { canonicalEndpoint, type WorkerTlsOf } from "../fleet/index.ts";
import { watchContent } from "../http/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** Which endpoints speak HTTPS, and how they are checked. Rejects with ConfigError. */
export async function workerTlsOf({ workers, fleet }: Config): Promise<WorkerTlsOf> {
  const { enabled, caFile, serverName, verify } = fleet.workerTls;
  const ca = caFile === undefined ? undefined : Buffer.from(await read("fleet.workerTls.caFile", caFile));
  const tls = { ca, serverName, verify };
  const own = new Map(workers.map((worker) => [canonicalEndpoint(worker.endpoint), worker.tls] as const));
  return (endpoint) => ((own.get(endpoint) ?? enabled) ? tls : undefined);
}

/** Keys by what they are for: a file of the settings, or "" for the one that all workers get. */
type Keys = ReadonlyMap<string, string>;

/** The keys that the proxy shows workers, read again when their files change. */
export class WorkerKeys {
  readonly #fileOf: ReadonlyMap<string | undefined, string | undefined>;
  #keys: Keys;
  readonly #stop: () => void;

  private constructor(config: Config, keys: Keys, log: Pick<Logger, "info" | "error">) {
    this.#fileOf = new Map(config.workers.map((worker) => [canonicalEndpoint(worker.endpoint), worker.apiKeyFile]));
    this.#keys = keys;
    this.#stop = watchContent(keys, {
      read: () => workerKeysOf(config),
      isSame: isDeepStrictEqual,
      intervalMs: keys.size === 0 ? 0 : config.proxy.apiKeyReloadIntervalMs,
      after: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs).unref();
        return () => clearTimeout(timer);
      },
      onChange: (next) => {
        this.#keys = next;
        log.info({}, "proxy: new keys for workers");
      },
      onFailure: (err) => log.error({ err }, "proxy: cannot reload the workers' keys, keeping the old ones"),
    });
  }

  /** Rejects with ConfigError. */
  static async start(config: Config, log: Pick<Logger, "info" | "error">): Promise<WorkerKeys> {
    return new WorkerKeys(config, await workerKeysOf(config), log);
  }

  /** Undefined = the worker gets what the client sent. */
  keyOf(endpoint: string): string | undefined {
    if (this.#keys.size === 0) return undefined;
    return this.#keys.get(this.#fileOf.get(endpoint) ?? "");
  }

  close(): void {
    this.#stop();
  }
}

/** All keys for workers. Rejects with ConfigError naming the file that cannot be used. */
export async function workerKeysOf({ workers, proxy }: Config): Promise<Keys> {
  const { workerApiKeyFile, workerApiKey } = proxy;
  const keys = new Map<string, string>();
  const ofAll =
    workerApiKeyFile === undefined ? workerApiKey : await readKey("proxy.workerApiKeyFile", workerApiKeyFile);
  if (ofAll !== undefined) keys.set("", ofAll);
  for (const [i, { apiKeyFile }] of workers.entries()) {
    if (apiKeyFile !== undefined) keys.set(apiKeyFile, await readKey(`workers[${i}].apiKeyFile`, apiKeyFile));
  }
  return keys;
}

async function readKey(setting: string, file: string): Promise<string> {
  const key = (await read(setting, file)).trim();
  if (!/^[!-~]+$/.test(key)) throw new ConfigError([`${setting}: ${file} holds no key of visible ASCII characters`]);
  return key;
}

async function read(setting: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`${setting}: ${file} cannot be read`], { cause });
  }
}
