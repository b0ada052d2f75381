import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, type ConfigSources, loadConfig } from "../../../src/config/index.ts";

/** The problems of a configuration that must be refused. */
function problemsOf(sources: Partial<ConfigSources>): readonly string[] {
  try {
    loadConfig({ env: {}, ...sources });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("loadConfig", () => {
  it("needs nothing: every setting has a default", () => {
    const config = loadConfig({ env: {} });
    expect(config.extProc).toMatchObject({ listen: "0.0.0.0:9002", tls: { mode: "self-signed" }, bodyMode: "auto" });
    expect(config.health.listen).toBe("0.0.0.0:9003");
    expect(config.metrics.listen).toBe("0.0.0.0:9090");
    expect(config.models).toEqual([]);
    expect(config.workers).toEqual([]);
  });

  it.each([
    { name: "the default", sources: {}, level: "info" },
    { name: "the file over the default", sources: { text: "log: {level: warn}" }, level: "warn" },
    {
      name: "the environment over the file",
      sources: { text: "log: {level: warn}", env: { POINTSMAN_LOG_LEVEL: "error" } },
      level: "error",
    },
    {
      name: "a flag over the environment",
      sources: { env: { POINTSMAN_LOG_LEVEL: "error" }, flags: { set: ["log.level=debug"] } },
      level: "debug",
    },
    {
      name: "the last of two flags",
      sources: { flags: { set: ["log.level=debug", "log.level=trace"] } },
      level: "trace",
    },
  ])("takes $name", ({ sources, level }) => {
    expect(loadConfig({ env: {}, ...sources }).log.level).toBe(level);
  });

  it("fills in what an entry of a list leaves out", () => {
    const text = "models: [{name: m, folder: /m}]\nworkers: [{name: w, endpoint: '10.0.0.1:8000'}]";
    const { models, workers } = loadConfig({ text, env: {} });
    expect(models).toEqual([
      {
        name: "m",
        aliases: [],
        folder: "/m",
        hubRevision: "main",
        profile: "dynamo",
        chatTemplateArgs: {},
        mistralCommon: "auto",
        frontend: { excludeToolsWhenToolChoiceNone: true },
        blockSize: 16,
        adapters: [],
        isEagle: false,
        maxIndexBytes: 536_870_912,
        loadOnly: false,
      },
    ]);
    expect(workers).toEqual([
      {
        name: "w",
        endpoint: "10.0.0.1:8000",
        models: [],
        role: "aggregated",
        dpRankStart: 0,
        dpSize: 1,
        taints: [],
        labels: {},
        headers: { dataParallelRank: false, prefillHost: false },
      },
    ]);
  });

  it("takes a section without a setting for an absent one", () => {
    expect(loadConfig({ text: "log:\nextProc:\n  tls:\n", env: {} })).toEqual(loadConfig({ env: {} }));
  });

  it.each([
    ["extProc: {tls: {mode: of}}", 'extProc.tls.mode: expected one of self-signed, files, off; got "of"'],
    ["extProc: {listen: 9002}", "extProc.listen: expected a text in quotes; got 9002"],
    ["extProc: {listen: '::1:9002'}", 'extProc.listen: expected [ipv6]:port, with the brackets; got "::1:9002"'],
    ["extProc: {maxBodyBytes: 1.5}", "extProc.maxBodyBytes: expected a whole number; got 1.5"],
    ["extProc: {maxBodyBytes: 0}", "extProc.maxBodyBytes: expected at least 1; got 0"],
    ["extProc: {lisen: a}", "extProc.lisen: no such setting (did you mean extProc.listen?)"],
    ["bodyMode: auto", "bodyMode: no such setting (did you mean extProc.bodyMode?)"],
    ["model: [{name: a}]", "model: no such setting (did you mean models?)"],
    ["modles: [{name: a}]", "modles: no such setting (did you mean models?)"],
    ["log: {levle: warn}", "log.levle: no such setting (did you mean log.level?)"],
    ["log.levle: warn", "log.levle: no such setting (did you mean log: { level: ... }?)"],
    ["extProc.tls.mode: off", "extProc.tls.mode: no such setting (did you mean extProc: { tls: { mode: ... } }?)"],
    ["frobnicate: 5", "frobnicate: no such setting"],
    ["kvEvents: 5", "kvEvents: expected a section; got 5"],
    ["models: {name: a}", 'models: expected a list; got {"name":"a"}'],
    [
      "models: [{name: a, folder: /a, profil: vllm}]",
      "models[0].profil: no such setting (did you mean models[0].profile?)",
    ],
    ["models: [{folder: /a}]", "models[0].name: needed, a text"],
    ["routing: {temperature: -0.1}", "routing.temperature: expected at least 0; got -0.1"],
    ["routing: {temperature: .inf}", "routing.temperature: expected a number; got Infinity"],
    ["routing: {refuseUnknownShapes: 1}", "routing.refuseUnknownShapes: expected true or false; got 1"],
    [
      "fleet: {healthCheck: {path: health}}",
      'fleet.healthCheck.path: expected a text that starts with "/"; got "health"',
    ],
    ["fleet: {healthCheck: {intervalMs: 9}}", "fleet.healthCheck.intervalMs: expected at least 10; got 9"],
    ["workers: [{name: w, endpoint: '10.0.0.1:80', id: 12}]", "workers[0].id: expected a text in quotes; got 12"],
    [
      "workers: [{name: w, endpoint: '10.0.0.1:80', id: '18446744073709551616'}]",
      'workers[0].id: expected at most 18446744073709551615; got "18446744073709551616"',
    ],
    [
      "workers: [{name: w, endpoint: '10.0.0.1:80', kvEvents: 'ipc:///a'}]",
      'workers[0].kvEvents: expected tcp://host:port; got "ipc:///a"',
    ],
  ])("refuses %s", (text, problem) => {
    expect(problemsOf({ text })).toEqual([problem]);
  });

  it.each([
    { given: "http://host:4318", endpoint: "http://host:4318/v1/traces" },
    { given: "https://host/", endpoint: "https://host/v1/traces" },
    { given: "http://[::1]:4318?tenant=a", endpoint: "http://[::1]:4318/v1/traces?tenant=a" },
    { given: "http://host:4318/otlp/v1/traces", endpoint: "http://host:4318/otlp/v1/traces" },
    { given: "http://host:4318/v1/traces/", endpoint: "http://host:4318/v1/traces/" },
  ])("sends traces for $given to $endpoint", ({ given, endpoint }) => {
    const { tracing } = loadConfig({ env: { POINTSMAN_TRACING_ENDPOINT: given } });
    expect(tracing.endpoint).toBe(endpoint);
  });

  it("lists every problem at once, whatever it came from", () => {
    const problems = problemsOf({
      text: "log: {level: loud}\nunknown: 1",
      env: { POINTSMAN_EXT_PROC_MAX_BODY_BYTES: "abc", POINTSMAN_NO_SUCH_THING: "1" },
      flags: { set: ["routing.maxFallbacks=x", "nonsense"] },
    });
    expect(problems).toEqual([
      "POINTSMAN_NO_SUCH_THING: no such setting",
      "--set nonsense: expected path=value",
      'extProc.maxBodyBytes (from POINTSMAN_EXT_PROC_MAX_BODY_BYTES): expected a number; got "abc"',
      'log.level: expected one of trace, debug, info, warn, error, fatal, silent; got "loud"',
      'routing.maxFallbacks (from --set): expected a number; got "x"',
      "unknown: no such setting",
    ]);
  });

  it("names the variable that an entry of a list came from", () => {
    expect(problemsOf({ env: { POINTSMAN_MIXED_MODES: "query,qury" } })).toEqual([
      'mixedModes[1] (from POINTSMAN_MIXED_MODES): expected one of ext-proc, query, reserve, proxy, queue; got "qury"',
    ]);
    expect(problemsOf({ flags: { set: ["proxy.paths=[1"] } })).toEqual([
      'proxy.paths (from --set): expected a list; got "[1"',
    ]);
  });

  it.each([
    ["a: [", /Flow sequence/],
    ["- a", /expected settings/],
    ["log: {level: info}\nlog: {level: warn}", /must be unique/],
    ["log: *nowhere", /^configuration: .*nowhere/],
    [
      `a: &a [x, x]\nb: &b [${"*a, ".repeat(9)}]\nc: &c [${"*b, ".repeat(9)}]\nd: [${"*c, ".repeat(9)}]`,
      /^configuration: .*alias/,
    ],
  ])("refuses %j, which is not usable YAML", (text, problem) => {
    expect(problemsOf({ text })).toEqual([expect.stringMatching(problem)]);
  });

  it("shows the start of a long value only", () => {
    expect(problemsOf({ text: `log: {level: ${"x".repeat(5000)}}` })[0]?.length).toBeLessThan(200);
  });
});

describe("loadConfig from a file", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pointsman-config-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("takes relative paths from the file's folder", async () => {
    const file = join(folder, "pointsman.yaml");
    await writeFile(
      file,
      "models: [{name: m, folder: models/m}, {name: n, folder: /n}]\nextProc: {tls: {mode: files, certFile: tls.crt, keyFile: /k, clientCaFile: ca.crt}}",
    );
    const { models, extProc } = loadConfig({ file, env: {} });
    expect(models.map((model) => model.folder)).toEqual([join(folder, "models/m"), "/n"]);
    expect(extProc.tls).toMatchObject({
      certFile: join(folder, "tls.crt"),
      keyFile: "/k",
      clientCaFile: join(folder, "ca.crt"),
    });
  });

  it("names a file that cannot be read", () => {
    const file = join(folder, "absent.yaml");
    expect(problemsOf({ file })).toEqual([expect.stringContaining(`${file}: ENOENT`)]);
  });
});
