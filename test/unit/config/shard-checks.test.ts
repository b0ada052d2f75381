import { describe, expect, it } from "vitest";
import { shardConfig } from "../../../src/commands/shards/shard-config.ts";
import { ConfigError, loadConfig } from "../../../src/config/index.ts";

const base = "workers: [{ name: a, endpoint: '127.0.0.1:1' }]\nmodels: [{ name: m, loadOnly: true }]\n";

function load(text: string) {
  return loadConfig({ env: {}, flags: { set: [] }, text: base + text });
}

describe("the settings of shards", () => {
  it.each([
    { name: "the route API on shared ports", text: "mode: reserve\nshards: { count: 2 }", fault: "shards.listen" },
    {
      name: "a shared port that the system chooses",
      text: "extProc: { listen: '127.0.0.1:0' }\nshards: { count: 2 }",
      fault: "extProc.listen",
    },
    {
      name: "own ports beyond the last one",
      text: "extProc: { listen: '127.0.0.1:65000' }\nshards: { count: 8, listen: own }",
      fault: "extProc.listen",
    },
    {
      name: "own ports on that of the metrics",
      text: "extProc: { listen: '127.0.0.1:9080' }\nshards: { count: 2, listen: own, portStep: 10 }",
      fault: "extProc.listen",
    },
    {
      name: "traces whose hashes are not alike",
      text: "recorder: { file: /tmp/trace.jsonl }\nshards: { count: 2 }",
      fault: "recorder.keyFile",
    },
    { name: "no shard", text: "shards: { count: 0 }", fault: "shards.count" },
    { name: "pauses the wrong way round", text: "shards: { restartMinMs: 9, restartMaxMs: 8 }", fault: "restartMaxMs" },
  ])("refuse $name", ({ text, fault }) => {
    expect(() => load(text)).toThrow(ConfigError);
    expect(() => load(text)).toThrow(fault);
  });

  it("are one for all where ports are shared, but for the name and what the supervisor serves", () => {
    const config = load("replicas: { id: host }\nshards: { count: 3 }");
    const shard = shardConfig(config, 2);
    expect(shard.extProc.listen).toBe(config.extProc.listen);
    expect(shard).toMatchObject({ replicas: { id: "host-2" }, metrics: { listen: "off" }, health: { listen: "off" } });
  });

  it("have traces of their own, by one key", () => {
    const text = "recorder: { file: /tmp/trace.jsonl, keyFile: /tmp/key }\nshards: { count: 2 }";
    const { recorder } = shardConfig(load(text), 1);
    expect(recorder).toMatchObject({ file: "/tmp/trace.jsonl.1", keyFile: "/tmp/key" });
    expect(shardConfig(load("shards: { count: 2 }"), 1).recorder.file).toBeUndefined();
  });

  it("have ports of their own where that is wanted", () => {
    const text = `
mode: proxy
mixedModes: [ext-proc, reserve]
routeApi: { listen: "[::1]:8092", socket: /run/route.sock }
shards: { count: 3, listen: own }`;
    expect(shardConfig(load(text), 2)).toMatchObject({
      extProc: { listen: "0.0.0.0:9202" },
      proxy: { listen: "127.0.0.1:8200" },
      routeApi: { listen: "[::1]:8292", socket: "/run/route.sock.2" },
    });
  });
});
