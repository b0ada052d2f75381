import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Agent, request } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { send } from "../unit/http/support.ts";
import { freePorts } from "./support/free-ports.ts";
import { testModelFolder } from "./support/model-folder.ts";
import { OwnProcess } from "./support/own-process.ts";
import { until } from "./support/until.ts";

const run = promisify(execFile);
const off = { metrics: { listen: "off" }, health: { listen: "off" }, log: { level: "info" } };
const workers = [{ name: "one", endpoint: "127.0.0.1:9" }];
const unprobed = { healthCheck: { enabled: false } };

let folder: string;
let child: OwnProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-route-"));
});
afterEach(async () => {
  await child?.end();
  await rm(folder, { recursive: true });
});

/** Starts the built program as users do, and waits until it says that it is ready. */
async function serve(settings: object): Promise<OwnProcess> {
  const file = join(folder, "picker.yaml");
  await writeFile(file, stringify({ ...off, ...settings }));
  const args = ["dist/main.js", "serve", "--config", file];
  const started = await OwnProcess.start({ name: "pointsman", file: process.execPath, args });
  child = started;
  await until(() => started.lines.some((line) => line.includes("the picker is ready")), {
    what: "the picker to be ready",
    timeoutMs: 60_000,
    check: () => started.assertRunning(),
  });
  return started;
}

/** The page's requests, in their order, against another address. */
async function examples(address: string): Promise<string> {
  const page = await readFile(new URL("../../docs/route-api.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
  return blocks
    .filter((block) => block.includes("curl"))
    .join("\n")
    .replaceAll("localhost:8092", address)
    .replaceAll("curl -s", "curl -sS --fail-with-body -w '\\n'");
}

describe("pointsman serve with mode reserve", () => {
  it("runs the examples of its page, on TCP and on its socket, and ends when it is told to", async () => {
    const [port = 0] = await freePorts(1);
    const socket = join(folder, "route.sock");
    const picker = await serve({
      mode: "reserve",
      models: [{ name: "qwen3", folder: testModelFolder(), profile: "vllm" }],
      routeApi: { listen: `127.0.0.1:${port}`, socket },
      workers,
      fleet: unprobed,
    });
    const { stdout } = await run("bash", ["-euc", await examples(`127.0.0.1:${port}`)]);
    expect(stdout).toContain('"input_tokens":14');
    expect(stdout).toContain('"selection_id":"r1"');
    expect(stdout).toContain('"kv_events_endpoint":"tcp://127.0.0.1:8113"');
    const loads = JSON.parse((await send(socket, { path: "/loads" })).text);
    // The first example's reservation is still held; r1 has been given back.
    expect(loads[0].loads).toMatchObject([{ active_requests: 1, potential_prefill_tokens: 14 }]);
    expect(await picker.end()).toBe("exit code 0");
  });

  it("asks for one of its tokens over TLS", async () => {
    const [port = 0] = await freePorts(1);
    const tokenFile = join(folder, "tokens");
    await writeFile(tokenFile, "first-token-of-the-test\nsecond-token-of-the-test\n");
    await serve({
      mode: "reserve",
      models: [{ name: "m", loadOnly: true }],
      routeApi: { listen: `127.0.0.1:${port}`, tls: { mode: "self-signed" }, tokenFile },
      workers,
      fleet: unprobed,
    });
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    const statusWith = async (path: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await request(`https://127.0.0.1:${port}${path}`, { headers, dispatcher: agent });
      await answer.body.dump();
      return answer.statusCode;
    };
    try {
      expect(await statusWith("/ready")).toBe(200);
      expect(await statusWith("/dump")).toBe(401);
      expect(await statusWith("/dump", "first-token-of-the-test")).toBe(200);
      expect(await statusWith("/dump", "second-token-of-the-test")).toBe(200);
      expect(await statusWith("/dump", "third-token-of-the-test")).toBe(401);
    } finally {
      await agent.close();
    }
  });
});

describe("pointsman serve with mode ext-proc", () => {
  it("serves the route API beside Envoy's for looking only, when mixedModes says so", async () => {
    const [port = 0, extProc] = await freePorts(2);
    await serve({
      mode: "ext-proc",
      mixedModes: ["query"],
      extProc: { listen: `127.0.0.1:${extProc}` },
      routeApi: { listen: `127.0.0.1:${port}` },
      models: [{ name: "m", loadOnly: true }],
      workers,
      fleet: unprobed,
    });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ model_name: "m", token_ids: [1, 2, 3] });
    const sent = { method: "POST", headers: { ...headers, "content-length": String(body.length) }, body };
    const address = `127.0.0.1:${port}`;
    expect((await send(address, { ...sent, path: "/route" })).status).toBe(200);
    expect((await send(address, { ...sent, path: "/route_and_reserve" })).status).toBe(403);
    expect((await send(address, { ...sent, path: "/select_and_reserve" })).status).toBe(403);
  });

  it("does not open the route API by itself", async () => {
    const [port = 0, extProc] = await freePorts(2);
    await serve({ extProc: { listen: `127.0.0.1:${extProc}` }, routeApi: { listen: `127.0.0.1:${port}` }, workers });
    await expect(send(`127.0.0.1:${port}`, { path: "/health" })).rejects.toThrow("ECONNREFUSED");
  });
});
