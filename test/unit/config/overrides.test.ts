import { describe, expect, it } from "vitest";
import { environmentOverrides, flagOverrides } from "../../../src/config/overrides.ts";

describe("environmentOverrides", () => {
  it.each([
    ["POINTSMAN_EXT_PROC_TLS_MODE", "off", "extProc.tls.mode", "off"],
    ["POINTSMAN_EXT_PROC_MAX_BODY_BYTES", "1000", "extProc.maxBodyBytes", 1000],
    ["POINTSMAN_ROUTING_TEMPERATURE", "0.5", "routing.temperature", 0.5],
    ["POINTSMAN_FLEET_HEALTH_CHECK_ENABLED", "false", "fleet.healthCheck.enabled", false],
    ["POINTSMAN_UNKNOWN_MODEL", "load", "unknownModel", "load"],
    ["POINTSMAN_MIXED_MODES", "query", "mixedModes", ["query"]],
    ["POINTSMAN_PROXY_PATHS", "/a, /b/*", "proxy.paths", ["/a", "/b/*"]],
    ["POINTSMAN_PROXY_PATHS", ' ["/a,b", "/c"] ', "proxy.paths", ["/a,b", "/c"]],
    ["POINTSMAN_PROXY_PATHS", "[/a", "proxy.paths", "[/a"],
    ["POINTSMAN_PROXY_CORS_ORIGINS", "", "proxy.cors.origins", []],
    ["POINTSMAN_REPLICAS_PEERS_URLS", "http://a:1,http://b:2", "replicas.peers.urls", ["http://a:1", "http://b:2"]],
    ["POINTSMAN_EXT_PROC_MAX_BODY_BYTES", "many", "extProc.maxBodyBytes", "many"],
    ["POINTSMAN_FLEET_HEALTH_CHECK_ENABLED", "yes", "fleet.healthCheck.enabled", "yes"],
  ])("%s=%s", (name, text, path, value) => {
    expect(environmentOverrides({ [name]: text })).toEqual({
      overrides: [{ path, value, origin: name }],
      problems: [],
    });
  });

  it("names every variable that is no setting", () => {
    const { problems } = environmentOverrides({ POINTSMAN_LOG_LEVL: "info", POINTSMAN_WORKERS: "[]", PATH: "/bin" });
    expect(problems).toEqual([
      "POINTSMAN_LOG_LEVL: no such setting (did you mean POINTSMAN_LOG_LEVEL?)",
      "POINTSMAN_WORKERS: a list, which only the file can hold",
    ]);
  });

  it.each([
    ["POINTSMAN_PROXY_API_KEYS", "a list, which only the file can hold"],
    ["POINTSMAN_ADMISSION_OBJECTIVES", "a list, which only the file can hold"],
    ["POINTSMAN_WORKERS_0_NAME", "inside of a list, which only the file can hold"],
  ])("says of %s: %s", (name, problem) => {
    expect(environmentOverrides({ [name]: "a" })).toEqual({ overrides: [], problems: [`${name}: ${problem}`] });
  });

  it.each([
    ["POINTSMAN_CONFIG", "/etc/pointsman.yaml"],
    ["POINTSMAN_CONSOLE_TOKEN", "secret"],
    ["POINTSMAN_SERVICE_HOST", "10.96.0.12"],
    ["POINTSMAN_SERVICE_PORT", "9002"],
    ["POINTSMAN_SERVICE_PORT_GRPC_HEALTH", "9003"],
    ["POINTSMAN_PORT", "tcp://10.96.0.12:9002"],
    ["POINTSMAN_PORT_9002_TCP", "tcp://10.96.0.12:9002"],
    ["POINTSMAN_PORT_9002_TCP_ADDR", "10.96.0.12"],
    ["POINTSMAN_EPP_SERVICE_HOST", "10.96.0.12"],
    ["POINTSMAN_EPP_PORT", "udp://10.96.0.12:9002"],
  ])("leaves alone %s, which no user set", (name, text) => {
    expect(environmentOverrides({ [name]: text })).toEqual({ overrides: [], problems: [] });
  });
});

describe("flagOverrides", () => {
  it("takes assignments in order, then the short flags", () => {
    const flags = {
      set: ["log.level=warn", "replicas.peers.urls=http://a:1", "fleet.healthCheck.path=/a=b"],
      listen: "[::]:1",
      logLevel: "debug",
    };
    expect(flagOverrides(flags)).toEqual({
      overrides: [
        { path: "log.level", value: "warn", origin: "--set" },
        { path: "replicas.peers.urls", value: ["http://a:1"], origin: "--set" },
        { path: "fleet.healthCheck.path", value: "/a=b", origin: "--set" },
        { path: "extProc.listen", value: "[::]:1", origin: "--listen" },
        { path: "log.level", value: "debug", origin: "--log-level" },
      ],
      problems: [],
    });
  });

  it("names every assignment that is none, or of no setting", () => {
    const { problems } = flagOverrides({
      set: ["log.level", "routing.temprature=1", "models=[]", "proxy.apiKeys=a", "workers[0].name=a"],
    });
    expect(problems).toEqual([
      "--set log.level: expected path=value",
      "--set routing.temprature: no such setting (did you mean routing.temperature?)",
      "--set models: a list, which only the file can hold",
      "--set proxy.apiKeys: a list, which only the file can hold",
      "--set workers[0].name: inside of a list, which only the file can hold",
    ]);
  });
});
