import { describe, expect, it } from "vitest";
import { type Config, type ConfigSources, loadConfig } from "../../../src/config/index.ts";
import { environmentName, type Setting, settableSettings } from "../../../src/config/setting-tree.ts";

/** A value that the setting takes and that is not its default. */
function otherValue({ path, kind, choices, defaultValue }: Setting): string {
  if (path === "replicas.peers.urls") return "http://peer.example:8092";
  if (path === "proxy.cors.origins") return "https://app.example.com";
  if (choices !== undefined) return choices.findLast((choice) => choice !== defaultValue && choice !== "files") ?? "";
  if (kind === "boolean") return String(defaultValue !== true);
  // Its bounds can only be made smaller.
  if (kind === "number" && path.startsWith("decisionsApi.")) return String(Number(defaultValue) - 1);
  if (path === "decisionsApi.serviceEndpoint") return "127.0.0.1:9";
  if (kind === "number") return String(Number(defaultValue ?? 0) + 1);
  if (path.endsWith("socketMode")) return "0640";
  if (path === "replicas.id") return "replica-7";
  if (path === "proxy.apiKeyHashes") return "0".repeat(64);
  if (path.endsWith("timeZone")) return "Europe/Oslo";
  if (path === "hub.url") return "http://mirror.example:8080";
  if (path === "replicas.redis.url") return "rediss://redis.example:6379";
  if (path === "kubernetes.endpointSelector") return "app=vllm,tier=large";
  if (path.startsWith("kubernetes.")) return "other-name";
  return path.endsWith("listen") ? "[::1]:19999" : "/other";
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
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);
}

/** What has to be set beside a setting, for it to have a meaning. */
function neededBeside({ path }: Setting): Readonly<Record<string, string>> {
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
