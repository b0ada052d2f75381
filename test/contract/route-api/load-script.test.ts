import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunningApi } from "./running-api.ts";

const run = promisify(execFile);

let folder: string;
let api: RunningApi;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-load-"));
  api = await RunningApi.start(
    "mode: reserve\nmodels: [{ name: m, loadOnly: true }]\nworkers: [{ name: a, endpoint: '127.0.0.1:1' }]",
  );
});
afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

describe("the load script of docs/route-api.md", () => {
  it("routes requests, ends them, and says how long it took", { timeout: 60_000 }, async () => {
    const page = await readFile(new URL("../../../docs/route-api.md", import.meta.url), "utf8");
    const script = /```js\n(.*?)```/s.exec(page)?.[1] ?? "";
    const file = join(folder, "load.mjs");
    await writeFile(file, script);
    const env = { ...process.env, API: `http://${api.address}`, MODEL: "m", USERS: "3", REQUESTS: "30" };
    const { stdout } = await run(process.execPath, [file], { env });
    expect(stdout).toMatch(/^30 routed: p50 \d+\.\d\d ms, p99 \d+\.\d\d ms\n$/);
    const { body } = await api.call("GET", "/loads");
    expect(body[0].loads[0].active_requests).toBe(0);
    expect(api.core.decisions.recent(100)).toHaveLength(30);
  });
});
