import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseDocument } from "yaml";
import { ConfigError } from "./config-error.ts";
import { type ConfigFlags, environmentOverrides, flagOverrides, type Override } from "./overrides.ts";
import { problemLines } from "./problems.ts";
import { type Config, configSchema } from "./schema.ts";
import { type Setting, settingTree } from "./setting-tree.ts";
import { yamlValue } from "./yaml-value.ts";

/** Where the settings come from; a flag wins over the environment, that over the file, that over the default. */
export interface ConfigSources {
  /** Path of a YAML file. */
  readonly file?: string | undefined;
  /** YAML text, in place of a file. */
  readonly text?: string | undefined;
  /** The process's environment; variables that do not start with `POINTSMAN_` are not looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags?: ConfigFlags | undefined;
}

/**
 * Reads and checks all settings. Besides reading `file`, it depends on nothing but its argument.
 * @throws ConfigError with every problem at once
 */
export function loadConfig({ file, text, env, flags = {} }: ConfigSources): Config {
  const settings = readSettings(file, text);
  const given = [environmentOverrides(env), flagOverrides(flags)];
  const overrides = given.flatMap((part) => part.overrides);
  for (const override of overrides) apply(settings, override);
  const parsed = configSchema.safeParse(settings, { reportInput: true });
  const faults = parsed.success ? [] : problemLines(parsed.error.issues, overrides);
  const problems = [...given.flatMap((part) => part.problems), ...faults];
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);
  return file === undefined ? parsed.data : withPathsFrom(dirname(file), parsed.data);
}

/** Relative paths mean the folder of the configuration file, wherever the process was started. */
function withPathsFrom(base: string, config: Config): Config {
  const from = <K extends string>(key: K, path: string | undefined): { readonly [P in K]?: string } =>
    (path === undefined ? {} : { [key]: resolve(base, path) }) as { readonly [P in K]?: string };
  const tlsFrom = <
    T extends Partial<Readonly<Record<"certFile" | "keyFile" | "clientCaFile" | "caFile", string | undefined>>>,
  >(
    tls: T,
  ) => ({
    ...tls,
    ...from("certFile", tls.certFile),
    ...from("keyFile", tls.keyFile),
    ...from("clientCaFile", tls.clientCaFile),
    ...from("caFile", tls.caFile),
  });
  const { extProc, routeApi, proxy, queue, admin, hub, replicas, kubernetes } = config;
  const { redis, peers } = replicas;
  return {
    ...config,
    workers: config.workers.map((worker) => ({ ...worker, ...from("apiKeyFile", worker.apiKeyFile) })),
    fleet: { ...config.fleet, workerTls: tlsFrom(config.fleet.workerTls) },
    models: config.models.map((model) => ({ ...model, ...from("folder", model.folder) })),
    kubernetes: { ...kubernetes, ...from("kubeconfig", kubernetes.kubeconfig) },
    hub: { ...hub, ...from("tokenFile", hub.tokenFile), ...from("cacheDir", hub.cacheDir) },
    extProc: { ...extProc, tls: tlsFrom(extProc.tls) },
    routeApi: {
      ...routeApi,
      tls: tlsFrom(routeApi.tls),
      ...from("socket", routeApi.socket),
      ...from("tokenFile", routeApi.tokenFile),
    },
    proxy: {
      ...proxy,
      tls: tlsFrom(proxy.tls),
      ...from("apiKeyFile", proxy.apiKeyFile),
      ...from("workerApiKeyFile", proxy.workerApiKeyFile),
    },
    queue: {
      ...queue,
      tls: tlsFrom(queue.tls),
      ...from("apiKeyFile", queue.apiKeyFile),
      redis: {
        ...queue.redis,
        ...from("passwordFile", queue.redis.passwordFile),
        tls: { ...tlsFrom(queue.redis.tls), ...from("caFile", queue.redis.tls.caFile) },
        sentinel: { ...queue.redis.sentinel, ...from("passwordFile", queue.redis.sentinel.passwordFile) },
      },
    },
    admin: { ...admin, tls: tlsFrom(admin.tls), ...from("tokenFile", admin.tokenFile) },
    replicas: {
      ...replicas,
      redis: {
        ...redis,
        ...from("passwordFile", redis.passwordFile),
        tls: tlsFrom(redis.tls),
      },
      peers: {
        ...peers,
        ...from("tokenFile", peers.tokenFile),
        ...from("caFile", peers.caFile),
      },
    },
  };
}

type Settings = Record<string, unknown>;

function readSettings(file: string | undefined, text: string | undefined): Settings {
  const source = text ?? (file === undefined ? "" : readText(file));
  const document = parseDocument(source, { uniqueKeys: true });
  const place = file ?? "configuration";
  if (document.errors.length > 0) throw new ConfigError(document.errors.map(({ message }) => `${place}: ${message}`));
  const root = yamlValue(document, (reason) => new ConfigError([`${place}: ${reason}`])) ?? {};
  if (!isSection(root)) throw new ConfigError([`${place}: expected settings, one "name: value" a line`]);
  return withoutEmptySections(root, settingTree());
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`${file}: ${cause instanceof Error ? cause.message : "cannot be read"}`], { cause });
  }
}

/** `log:` with nothing below is null in YAML and means that nothing is set there. */
function withoutEmptySections(settings: Settings, declared: readonly Setting[]): Settings {
  const sections = new Map(declared.filter(({ kind }) => kind === "section").map((s) => [s.path.split(".").at(-1), s]));
  const kept = Object.entries(settings).filter(([key, value]) => value !== null || !sections.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      const section = sections.get(key);
      return [key, section !== undefined && isSection(value) ? withoutEmptySections(value, section.children) : value];
    }),
  );
}

/** Sets one value; a parent that is no section is left as it is, for the schema to refuse. */
function apply(settings: Settings, { path, value }: Override): void {
  const parents = path.split(".");
  const key = parents.pop() ?? "";
  let section = settings;
  for (const parent of parents) {
    section[parent] ??= {};
    const next = section[parent];
    if (!isSection(next)) return;
    section = next;
  }
  section[key] = value;
}

function isSection(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
