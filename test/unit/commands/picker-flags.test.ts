import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pickerFlags } from "../../../src/commands/picker-flags.ts";
import { ConfigError, loadConfig } from "../../../src/config/index.ts";

function settingsOf(flag: string, text: string) {
  const found = pickerFlags.find(({ flags }) => flags.split(/[ ,]+/).includes(flag));
  if (found === undefined) throw new Error(`there is no ${flag}`);
  return Object.fromEntries(found.settings(text).map((setting) => [setting.path, setting.text]));
}

function isRefused(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

describe("flags as llm-d's endpoint picker has them", () => {
  it.each([
    ["--pool-name", "qwen3", { "kubernetes.poolName": "qwen3", "metrics.llmd.pool": "qwen3" }],
    ["--pool-namespace", "serving", { "kubernetes.namespace": "serving" }],
    ["--pool-group", "inference.networking.k8s.io", { "kubernetes.poolGroup": "inference.networking.k8s.io" }],
    ["--endpoint-selector", "app=vllm,tier=a", { "kubernetes.endpointSelector": "app=vllm,tier=a" }],
    ["--endpoint-target-ports", "8000,8001", { "kubernetes.targetPorts": "8000,8001" }],
    ["--grpc-port", "9002", { "extProc.listen": "0.0.0.0:9002" }],
    ["--grpc-health-port", "9003", { "health.listen": "0.0.0.0:9003" }],
    ["--metrics-port", "9090", { "metrics.listen": "0.0.0.0:9090" }],
    ["--grpc-max-recv-msg-size", "104857600", { "extProc.maxReceiveMessageBytes": "104857600" }],
    ["--secure-serving", "true", {}],
    ["--secure-serving", "false", { "extProc.tls.mode": "off" }],
    ["--metrics-endpoint-auth", "false", {}],
    ["--tracing", "false", {}],
    ["--zap-encoder", "json", {}],
    ["-v", "3", { "log.level": "info" }],
    ["--v", "4", { "log.level": "debug" }],
    ["-v", "=5", { "log.level": "debug" }],
  ])("%s %s", (flag, text, settings) => {
    expect(settingsOf(flag, text)).toEqual(settings);
  });

  it("names both files of a folder with a certificate", () => {
    expect(settingsOf("--cert-path", "/certs")).toEqual({
      "extProc.tls.mode": "files",
      "extProc.tls.certFile": "/certs/tls.crt",
      "extProc.tls.keyFile": "/certs/tls.key",
    });
  });

  // Expected by Go's time.ParseDuration.
  it.each([
    ["0", 0],
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["1h0.5m", 3_630_000],
    ["1.5s", 1_500],
    [".5s", 500],
    ["250ms", 250],
    ["1500us", 2],
  ])("takes the Go duration %s for %i ms", (text, ms) => {
    expect(settingsOf("--drain-timeout", text)).toEqual({ "shutdown.drainTimeoutMs": String(ms) });
  });

  it.each([
    ["--drain-timeout", "30"],
    ["--drain-timeout", "-1s"],
    ["--drain-timeout", "1s "],
    ["--drain-timeout", "s"],
    ["--drain-timeout", ""],
    ["--grpc-port", "x"],
    ["--grpc-port", "127.0.0.1:9002"],
    ["--secure-serving", "maybe"],
    ["--metrics-endpoint-auth", "true"],
    ["--tracing", "true"],
    ["--zap-encoder", "console"],
    ["--v", "much"],
  ])("refuses %s %j", (flag, text) => {
    expect(() => settingsOf(flag, text)).toThrow(RangeError);
  });

  it("stand for settings that there are", () => {
    const tries = ["x", "1s", "9000", "4", "false", "json"];
    const aliases = pickerFlags.flatMap(({ flags, settings }) => {
      const taken = tries.find((text) => !isRefused(() => settings(text)));
      return settings(taken ?? "").map((setting) => ({ ...setting, flag: flags }));
    });
    // Values may be refused; a path that is no setting would be a broken invariant.
    expect(() => loadConfig({ env: {}, flags: { aliases } })).toThrow(ConfigError);
  });

  it("are listed in the docs", () => {
    const page = readFileSync(new URL("../../../docs/kubernetes.md", import.meta.url), "utf8");
    for (const { flags } of pickerFlags) expect(page).toContain(/--[\w-]+/.exec(flags)?.[0]);
  });
});
