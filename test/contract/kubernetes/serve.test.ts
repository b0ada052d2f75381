import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { serve } from "../../../src/commands/serve.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { inferencePools, KubeApiServer, KubeClient, kubeconfig, pods } from "../../support/kube-api/index.ts";

const namespace = "serving";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A picker behind a pool, and what it has logged. */
async function startPicker(settings = "") {
  const api = await KubeApiServer.start();
  closers.push(() => api.stop());
  const kube = new KubeClient({ url: api.url }, namespace);
  closers.push(() => kube.close());
  const folder = await mkdtemp(join(tmpdir(), "picker-"));
  closers.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "kubeconfig"), kubeconfig({ url: api.url }, namespace));
  const config = join(folder, "pointsman.yaml");
  await writeFile(config, `${base}${settings}`);
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const stop = new AbortController();
  const running = serve(loadConfig({ file: config, env: {} }), log, stop.signal);
  closers.push(async () => {
    stop.abort();
    await running;
  });
  return { api, kube, lines };
}

const base = `
mode: proxy
models: [{ name: m, loadOnly: true }]
kubernetes: { poolName: pool, kubeconfig: kubeconfig, reconnectMinMs: 5 }
fleet: { healthCheck: { enabled: false } }
proxy: { listen: "127.0.0.1:0" }
metrics: { listen: "127.0.0.1:0" }
`;

const spec = { selector: { matchLabels: { app: "vllm" } }, targetPorts: [{ number: 8000 }] };

describe("a picker in Kubernetes", () => {
  it("is ready while there is a pool, and only then", async () => {
    const { kube, lines } = await startPicker();
    await expect
      .poll(() => lines.map(({ msg }) => msg))
      .toContain("there is no such InferencePool: nothing can be picked");
    expect(lines.map(({ msg }) => msg)).not.toContain("the picker is ready");
    await kube.create(pods, { metadata: { name: "a", labels: { app: "vllm" } }, spec: {} });
    const conditions = [{ type: "Ready", status: "True" }];
    await kube.patchStatus(pods, "a", { podIP: "10.0.0.1", phase: "Running", conditions });
    await kube.create(inferencePools, { metadata: { name: "pool" }, spec });
    await expect.poll(() => lines.at(-1)?.["msg"]).toBe("the picker is ready");
    const ready = lines.at(-1);
    expect(ready?.["workers"]).toBe(1);
    const url = `http://${ready?.["proxy"]}/health`;
    expect((await fetch(url)).status).toBe(200);
    await kube.delete(inferencePools, "pool");
    await expect.poll(async () => (await fetch(url)).status).toBe(503);
    await kube.create(inferencePools, { metadata: { name: "pool" }, spec });
    await expect.poll(async () => (await fetch(url)).status).toBe(200);
  });
});
