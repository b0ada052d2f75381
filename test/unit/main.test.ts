import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ensureModelFolder } from "../../scripts/models.ts";

const folder = mkdtempSync(join(tmpdir(), "pointsman-main-"));
afterAll(() => rmSync(folder, { recursive: true }));

const main = new URL("../../src/main.ts", import.meta.url).pathname;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line from its sources. */
function pointsman(args: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    const child = execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

function configFile(text: string): string {
  const file = join(folder, `${Math.random()}.yaml`);
  writeFileSync(file, text);
  return file;
}

const loadOnly = `
models: [{ name: m, loadOnly: true }]
workers:
  - { name: a, endpoint: "127.0.0.1:8000" }
  - { name: b, endpoint: "[::1]:8000" }
`;

describe("the command line", () => {
  it("checks settings and prints them with their defaults", async () => {
    const { code, stdout } = await pointsman(["check-config", "--config", configFile(loadOnly)]);
    expect(code).toBe(0);
    expect(stdout).toContain("pickDeadlineMs: 5000");
  });

  it("names every bad setting with its value", async () => {
    const file = configFile("extProc: { tls: { mode: of }, listn: x }\n");
    const { code, stderr } = await pointsman(["check-config", "--config", file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/extProc\.tls\.mode: .*"of"/);
    expect(stderr).toMatch(/extProc\.listn.*did you mean.*listen/i);
  });

  it("takes the flags of llm-d's endpoint picker for settings, over the file and under --set", async () => {
    const file = configFile(`models: [{ name: m, loadOnly: true }]\nhealth: { listen: "off" }\n`);
    const flags = ["--pool-name", "pool", "--grpc-health-port", "9103", "--secure-serving=false", "--v", "4"];
    const args = ["check-config", "--config", file, ...flags, "--set", "log.level=warn"];
    const { code, stdout, stderr } = await pointsman(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("poolName: pool");
    expect(stdout).toContain("listen: 0.0.0.0:9103");
    expect(stdout).toMatch(/tls:\s+mode: off/);
    expect(stdout).toContain("level: warn");
  });

  it("names the flag of a value that is refused", async () => {
    const args = ["check-config", "--config", configFile(loadOnly), "--pool-name", "Not_A_Name"];
    const { code, stderr } = await pointsman(args);
    expect(code).toBe(1);
    expect(stderr).toContain("kubernetes.poolName (from --pool-name)");
  });

  it("takes flags over the environment over the file", async () => {
    const file = configFile(`${loadOnly}log: { level: warn }\nextProc: { pickDeadlineMs: 1 }\n`);
    const env = { POINTSMAN_LOG_LEVEL: "error", POINTSMAN_EXT_PROC_PICK_DEADLINE_MS: "2" };
    const args = ["check-config", "--config", file, "--set", "extProc.pickDeadlineMs=3"];
    const { stdout } = await pointsman(args, env);
    expect(stdout).toContain("level: error");
    expect(stdout).toContain("pickDeadlineMs: 3");
  });

  it("explains a request for people", async () => {
    const args = ["explain", "--config", configFile(loadOnly), "--path", "/v1/chat/completions", "-"];
    const body = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
    const { code, stdout } = await pointsman(args, {}, body);
    expect(code).toBe(0);
    expect(stdout).toMatch(/tokens +not known: load-only model/);
    expect(stdout).toMatch(
      /^offline +whether workers are up .* not looked at; nor is what they cache: none publishes/m,
    );
    expect(stdout).not.toContain("split");
    expect(stdout).toMatch(/=> +(a +127\.0\.0\.1|b +\[::1\]):8000/);
    expect(stdout).toMatch(/ a +127\.0\.0\.1:8000/);
    expect(stdout).toMatch(/ b +\[::1\]:8000/);
  });

  it.each([
    ["1", "what they cache is as 1 ms of KV events tell (ranks: 2)"],
    ["0", "nor is what they cache: --wait-ms is 0"],
  ])("says how long KV events were gathered for an explanation: %s ms", async (waitMs, text) => {
    const file = configFile(loadOnly.replace(/name: a,/, "name: a, dpSize: 2, kvEvents: 'tcp://127.0.0.1:1',"));
    const body = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
    const { stdout } = await pointsman(["explain", "--config", file, "--wait-ms", waitMs, "-"], {}, body);
    expect(stdout).toContain(text);
  });

  it("says why no prefill worker was picked where one is configured", async () => {
    const models = "models: [{ name: m, loadOnly: true }, { name: p, loadOnly: true }]";
    const text = loadOnly.replace(/^models:.*$/m, models).replace(/name: a,/, "name: a, role: prefill, models: [p],");
    const file = configFile(text);
    const body = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
    const { stdout } = await pointsman(["explain", "--config", file, "-"], {}, body);
    expect(stdout).toMatch(/^split +no: no_prefill_worker$/m);
  });

  it("says why a request is refused, by field, and exits with 1", async () => {
    const args = ["explain", "--config", configFile(loadOnly), "--path", "/v1/chat/completions", "-"];
    const { code, stdout } = await pointsman(args, {}, '{"model":"m","messages":3}');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^refused: 400 invalid_request \(messages\)/);
  });

  it("shows who could not take a refused request, and why", async () => {
    const file = configFile(
      `${loadOnly}\n`.replace(/name: a,/, "name: a, role: encode,").replace(/name: b,/, "name: b, role: encode,"),
    );
    const { code, stdout } = await pointsman(["explain", "--config", file, "--path", "/v1/models", "-"], {}, "");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^offline +whether workers are up/);
    expect(stdout).toMatch(/ a +127\.0\.0\.1:8000 .* wrong_role/);
    expect(stdout).toMatch(/refused: 503 no_endpoints/);
  });

  it("answers a line that is no case with its number, and goes on", async () => {
    const args = ["explain", "--model-dir", ensureModelFolder("qwen3"), "--model", "m", "--cases", "-"];
    const lines = ["{bad", '{"name":"x","path":"/v1/completions","body":{"prompt":"hi"}}'];
    const { code, stdout } = await pointsman(args, {}, lines.join("\n"));
    const answers = stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(code).toBe(0);
    expect(answers).toMatchObject([
      { status: 400, error: { code: "bad_case", message: expect.stringContaining("line 1: ") } },
      { name: "x", status: 200, token_ids: [6023] },
    ]);
  });

  it("says that a file of cases is not there", async () => {
    const args = ["explain", "--model-dir", ensureModelFolder("qwen3"), "--cases", "/nowhere/cases"];
    const { code, stderr } = await pointsman(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^pointsman: ENOENT: .*\/nowhere\/cases'\n$/);
  });

  it("names the flag of a simulated worker whose cache has no such size", async () => {
    const { code, stderr } = await pointsman(["sim-worker", "--model-cache-bytes", "-1"]);
    expect(code).toBe(1);
    expect(stderr).toContain("--model-cache-bytes");
  });

  it.each(["serve", "check-config"])("%s does not take settings without workers", async (command) => {
    const { code, stderr } = await pointsman([command, "--config", configFile("")]);
    expect(code).toBe(1);
    expect(stderr).toContain("workers: none is configured");
  });

  it("checks settings without workers where those can be registered", async () => {
    const { code } = await pointsman(["check-config", "--config", configFile("mode: query")]);
    expect(code).toBe(0);
  });

  it.each([
    ["proxy: { tls: { mode: files, certFile: /nowhere/a, keyFile: /nowhere/b } }", "proxy.tls: /nowhere/a"],
    ["mode: proxy\nproxy: { listen: '127.0.0.1:0', apiKeyFile: /nowhere/keys }", "proxy.apiKeyFile: /nowhere/keys"],
    ["replicas: { redis: { url: 'redis://a', passwordFile: /nowhere/p } }", "replicas.redis.passwordFile: /nowhere/p"],
    ["replicas: { peers: { urls: ['http://a:1'], tokenFile: /nowhere/t } }", "replicas.peers.tokenFile: /nowhere/t"],
  ])("finds in check-config a file that is not there: %s", async (text, problem) => {
    const { code, stderr } = await pointsman(["check-config", "--config", configFile(`${loadOnly}${text}`)]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${problem} cannot be read`);
  });

  it.each([
    [
      "extProc: { tls: { mode: files, certFile: picker.yaml, keyFile: picker.yaml } }",
      "extProc.tls: ",
      "are no certificate with its key",
    ],
    ["proxy: { tls: { mode: self-signed, clientCaFile: picker.yaml } }", "proxy.tls: ", "holds no certificates (PEM)"],
  ])("finds in check-config files that no listener can be started with: %s", async (text, path, problem) => {
    const file = configFile("");
    const { code, stderr } = await pointsman([
      "check-config",
      "--config",
      configFile(`${loadOnly}${text.replaceAll("picker.yaml", file)}`),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(path);
    expect(stderr).toContain(problem);
  });

  it("refuses host names as worker addresses: the gateway resolves none", async () => {
    const file = configFile('workers: [{ name: a, endpoint: "localhost:8000" }]');
    const { code, stderr } = await pointsman(["check-config", "--config", file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/workers\[0\]\.endpoint: expected an IP address/);
  });

  it("finds in check-config that a model's folder is not there", async () => {
    const file = configFile(
      "models: [{ name: m, folder: /nowhere }]\nworkers: [{ name: a, endpoint: '127.0.0.1:8000' }]",
    );
    const { code, stderr } = await pointsman(["check-config", "--config", file]);
    expect(code).toBe(1);
    expect(stderr).toContain("model folder /nowhere: there is no such folder");
  });

  it("does not start with a worker address that cannot be", async () => {
    const { code, stderr } = await pointsman([
      "serve",
      "--config",
      configFile('workers: [{ name: a, endpoint: "x" }]'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("workers[0].endpoint");
  });
});
