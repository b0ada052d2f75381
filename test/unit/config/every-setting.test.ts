import { describe, expect, it } from "vitest";
import { type Config, type ConfigSources, loadConfig } from "../../../src/config/index.ts";
import { environmentName, type Setting, settableSettings } from "../../../src/config/setting-tree.ts";

/** A value that the setting takes and that is not its default. */
function otherValue({ path, kind, choices, defaultValue }: Setting): string {
  if (path === "replicas.peers.urls") return "http://peer.example:8092";
  if (path === "proxy.cors.origins") return "https://app.example.com";
  // The queue's front needs a server.
  if (path === "mode" || path === "mixedModes") return "proxy";
  if (path.startsWith("queue.")) return otherQueueValue(path, choices) ?? otherOfKind(kind, defaultValue, path);
  if (choices !== undefined) return choices.findLast((choice) => choice !== defaultValue && choice !== "files") ?? "";
  // Its bounds can only be made smaller.
  if (kind === "number" && /^decisionsApi\.|\.maxCandidates$/.test(path)) return String(Number(defaultValue) - 1);
  if (path === "tracing.endpoint") return "http://collector.example:4318/v1/traces";
  if (path === "tracing.sampleRatio") return "0.75";
  if (path === "decisionsApi.serviceEndpoint") return "127.0.0.1:9";
  if (kind === "boolean" || kind === "number") return otherOfKind(kind, defaultValue, path);
  if (path.endsWith("socketMode")) return "0640";
  if (path === "admin.allowedHosts") return "console.example";
  if (path === "replicas.id") return "replica-7";
  if (path === "proxy.apiKeyHashes" || path === "admin.tokenHashes") return "0".repeat(64);
  if (path.endsWith("timeZone")) return "Europe/Oslo";
  if (path === "hub.url") return "http://mirror.example:8080";
  if (path === "replicas.redis.url") return "rediss://redis.example:6379";
  if (path === "kubernetes.endpointSelector") return "app=vllm,tier=large";
  if (path.startsWith("kubernetes.")) return "other-name";
  return otherOfKind(kind, defaultValue, path);
}

function otherOfKind(kind: Setting["kind"], defaultValue: unknown, path: string): string {
  if (kind === "boolean") return String(defaultValue !== true);
  if (kind === "number") return String(Number(defaultValue ?? 0) + 1);
  return path.endsWith("listen") ? "[::1]:19999" : "/other";
}

function otherQueueValue(path: string, choices: Setting["choices"]): string | undefined {
  const key = path.slice("queue.".length);
  if (key === "apiKeyHashes") return "0".repeat(64);
  if (key === "cors.origins") return "https://app.example.com";
  if (key === "redis.url") return "rediss://redis.example:6379";
  if (key === "redis.sentinel.addresses") return "sentinel.example:26379";
  if (/^(timeoutHeaders|forwardHeaders|traitHeaders\.|traits\.)/.test(key)) return "x-other";
  return choices?.findLast((choice) => !["files", "v0.9", "instance", "refuse", "warn", "off"].includes(choice));
}

/** Settings of Kubernetes that another one has no meaning without. */
const companions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  endpointSelector: { targetPorts: "8000" },
  targetPorts: { endpointSelector: "app=vllm" },
  namespace: { poolName: "pool" },
  kubeconfig: { poolName: "pool" },
  context: { poolName: "pool", kubeconfig: "/file" },
};

function valueAt(config: Config, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config);
}

/** What has to be set beside a setting, for it to have a meaning. */
function neededBeside({ path }: Setting): Readonly<Record<string, string>> {
  if (path === "queue.redis.sentinel.addresses") return { [environmentName("queue.redis.sentinel.name")]: "group" };
  if (path.startsWith("kubernetes.")) {
    const others = Object.entries(companions[path.slice("kubernetes.".length)] ?? {});
    return Object.fromEntries(others.map(([key, value]) => [environmentName(`kubernetes.${key}`), value]));
  }
  if (!path.endsWith("tls.clientCaFile")) return {};
  return { [environmentName(path.replace(/clientCaFile$/, "mode"))]: "self-signed" };
}

/** The same assignment as each of the three ways to make it. */
function sourcesOf(setting: Setting): readonly ConfigSources[] {
  const value = otherValue(setting);
  const env = neededBeside(setting);
  const nested = setting.path.split(".").reduceRight((inner, key) => `{${JSON.stringify(key)}: ${inner}}`, "VALUE");
  const inFile = { string: JSON.stringify(value), texts: JSON.stringify([value]) };
  return [
    { env: { ...env, [environmentName(setting.path)]: value } },
    { env, flags: { set: [`${setting.path}=${value}`] } },
    {
      env,
      text: nested.replace(
        "VALUE",
        setting.kind === "string" || setting.kind === "texts" ? inFile[setting.kind] : value,
      ),
    },
  ];
}

describe("every setting that one text can hold", () => {
  it.each(settableSettings())("$path is the same from the environment, a flag and the file", (setting) => {
    const base = loadConfig({ env: {} });
    const values = sourcesOf(setting).map((sources) => valueAt(loadConfig(sources), setting.path));
    for (const value of values) expect(value).toEqual(values[0]);
    expect(String(values[0])).toBe(otherValue(setting));
    expect(values[0]).not.toEqual(valueAt(base, setting.path));
  });
});
