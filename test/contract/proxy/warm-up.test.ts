import { expect, it } from "vitest";
import { assembleCore } from "../../../src/commands/assemble.ts";
import { warmUpProxy } from "../../../src/commands/proxy-warm-up.ts";
import { servedModels } from "../../../src/commands/served-models.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { JsonReader } from "../../../src/json/index.ts";
import { createLogger } from "../../../src/telemetry/index.ts";

const lines: string[] = [];
const log = createLogger({ level: "warn" }, { write: (line) => void lines.push(line) });

function setUp(settings: string) {
  const text = `mode: proxy\nmodels: [{ name: m, loadOnly: true, profile: vllm }]\nworkers: [{ name: w, endpoint: "127.0.0.1:1" }]\n${settings}\n`;
  const config = loadConfig({ env: {}, text, flags: {} });
  const models = servedModels(config).registry;
  return {
    config,
    models,
    core: assembleCore(config, { models, random: Math.random, jsonReader: new JsonReader({}) }),
  };
}

it("a warm-up is answered by workers of its own, whatever clients and workers have to show, and books nothing", async () => {
  const keys = `apiKeys: [{ name: a, sha256: "${"0".repeat(64)}" }], workerApiKeyFile: /nowhere`;
  const { config, core } = setUp(`proxy: { warmUpMs: 300, ${keys} }\nfleet: { workerTls: { enabled: true } }`);
  expect(await warmUpProxy(config, core.models, log)).toBeGreaterThan(0);
  expect(lines).toEqual([]);
  expect(core.catalogue.size).toBe(1);
  expect(core.decisions.recent(10)).toEqual([]);
});

it("no time for a warm-up, no warm-up", async () => {
  const { config, core } = setUp("proxy: { warmUpMs: 0 }");
  expect(await warmUpProxy(config, core.models, log)).toBe(0);
});
