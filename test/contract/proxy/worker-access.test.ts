import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { HttpProbe } from "../../../src/fleet/index.ts";
import { FakeWorker, json } from "../../support/proxy/fake-worker.ts";
import { call, chatBody } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";
import { authority, issued, type Pems } from "../../support/tls/authority.ts";

const open: { close(): Promise<void> }[] = [];
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-workers-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function proxyOf(
  workers: Parameters<typeof RunningProxy.start>[0]["workers"],
  settings: string,
  lines: string[] = [],
) {
  const proxy = await RunningProxy.start({ workers, settings, logLine: (line) => lines.push(line) });
  open.push(proxy);
  return proxy;
}

async function fakeWorkers(count: number): Promise<FakeWorker[]> {
  const workers = await Promise.all(Array.from({ length: count }, () => FakeWorker.start()));
  open.push(...workers);
  return workers;
}

function headerOf(worker: FakeWorker | undefined, name: string): string | undefined {
  const raw = worker?.seen.at(-1)?.rawHeaders ?? [];
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name);
  return at < 0 ? undefined : raw[at + 1];
}

describe("the key of a worker", () => {
  it("is shown to it in the place of the client's, read again when its file changes, and logged nowhere", async () => {
    const file = join(folder, "key");
    await writeFile(file, "first-key\n");
    const workers = await fakeWorkers(1);
    const lines: string[] = [];
    const settings = `proxy: { workerApiKeyFile: "${file}", apiKeyReloadIntervalMs: 20 }`;
    const proxy = await proxyOf(workers, settings, lines);
    const headers = ["Authorization", "Bearer client", "X-Api-Key", "client"];
    expect((await call(proxy.url, { body: chatBody(), headers })).status).toBe(200);
    expect([headerOf(workers[0], "authorization"), headerOf(workers[0], "x-api-key")]).toEqual([
      "Bearer first-key",
      undefined,
    ]);
    await writeFile(file, "second-key");
    await expect
      .poll(async () => {
        await call(proxy.url, { body: chatBody(), headers });
        return headerOf(workers[0], "authorization");
      })
      .toBe("Bearer second-key");
    await call(proxy.url, { method: "GET", path: "/v1/models" });
    expect([workers[0]?.seen.at(-1)?.target, headerOf(workers[0], "authorization")]).toEqual([
      "/v1/models",
      "Bearer second-key",
    ]);
    expect(lines.join("\n")).not.toMatch(/first-key|second-key/);
  });

  it("is its own where it has one, and the others' comes from the settings", async () => {
    const file = join(folder, "own");
    await writeFile(file, "own-key");
    const workers = await fakeWorkers(2);
    const listed = workers.map(({ endpoint }, at) => ({
      endpoint,
      ...(at === 0 ? { settings: `apiKeyFile: "${file}"` } : {}),
    }));
    const proxy = await proxyOf(listed, "proxy: { workerApiKey: shared-key }");
    while (workers.some(({ seen }) => seen.length === 0)) {
      await Promise.all([1, 2].map(() => call(proxy.url, { body: chatBody() })));
    }
    expect(workers.map((worker) => headerOf(worker, "authorization"))).toEqual(["Bearer own-key", "Bearer shared-key"]);
  });

  it("that cannot be read, or is none, is an error at the start that names the setting", async () => {
    const file = join(folder, "empty");
    await writeFile(file, "\n");
    const workers = await fakeWorkers(1);
    await expect(proxyOf(workers, `proxy: { workerApiKeyFile: "${file}" }`)).rejects.toThrow("proxy.workerApiKeyFile");
    await expect(proxyOf(workers, `proxy: { workerApiKeyFile: "${file}x" }`)).rejects.toThrow("cannot be read");
  });
});

describe("a worker that speaks HTTPS", () => {
  async function secureWorker(ca: Pems): Promise<string> {
    const { cert, key } = await issued(ca, "worker.test");
    const server = createServer({ cert, key }, (request, response) => {
      request.resume();
      request.on("end", () => json(response, 200, { path: request.url, isSecure: true }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push({
      close: () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(() => resolve()));
      },
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("is reached, and its certificate is checked", async () => {
    const ca = await authority("test");
    const caFile = join(folder, "ca.pem");
    await writeFile(caFile, ca.cert);
    const endpoint = await secureWorker(ca);
    const listed = [{ endpoint, settings: "tls: true" }];
    const trusted = await proxyOf(listed, `fleet: { workerTls: { caFile: "${caFile}", serverName: worker.test } }`);
    const answer = await call(trusted.url, { body: chatBody() });
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"path":"/v1/chat/completions","isSecure":true}']);
    const wrongName = await proxyOf(listed, `fleet: { workerTls: { caFile: "${caFile}", serverName: other.test } }`);
    expect((await call(wrongName.url, { body: chatBody() })).status).toBe(502);
    const unknown = await proxyOf([{ endpoint }], "fleet: { workerTls: { enabled: true, serverName: worker.test } }");
    expect((await call(unknown.url, { body: chatBody() })).status).toBe(502);
    const unchecked = await proxyOf([{ endpoint }], "fleet: { workerTls: { enabled: true, verify: false } }");
    expect((await call(unchecked.url, { body: chatBody() })).status).toBe(200);
  });

  it("is probed", async () => {
    const ca = await authority("test");
    const endpoint = await secureWorker(ca);
    const tls = { ca: Buffer.from(ca.cert), serverName: "worker.test", verify: true };
    const probe = new HttpProbe(() => tls);
    await probe.check(endpoint, "/health", AbortSignal.timeout(5_000));
    probe.close();
    const plain = new HttpProbe();
    await expect(plain.check(endpoint, "/health", AbortSignal.timeout(5_000))).rejects.toThrow();
    plain.close();
  });
});

describe("a worker whose connections are all busy", () => {
  it("is waited for as long as the setting says; then another one is asked, or 502", async () => {
    const workers = await fakeWorkers(1);
    const proxy = await proxyOf(workers, "proxy: { maxWorkerConnections: 1, connectionWaitTimeoutMs: 60 }");
    const came = new Promise<() => void>((resolve) => {
      workers[0]?.answer((response) => resolve(() => json(response, 200, { first: true })));
    });
    const first = call(proxy.url, { body: chatBody() });
    const answer = await came;
    const second = await call(proxy.url, { body: chatBody() });
    expect([second.status, second.body.toString()]).toEqual([502, expect.stringContaining("worker_failed")]);
    answer();
    expect((await first).status).toBe(200);
    workers[0]?.answer((response) => json(response, 200, {}));
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect(workers[0]?.seen).toHaveLength(2);
    expect(proxy.booked.requests).toBe(0);
  });
});
