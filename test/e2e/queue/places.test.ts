import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RedisSecrets } from "../../../src/redis/index.ts";
import { FakeWorker } from "../../support/proxy/fake-worker.ts";
import { QueueProcessor } from "../../support/queue-processor/index.ts";
import { redisKinds } from "../support/redis-server.ts";
import { TlsFront } from "../support/tls-front.ts";
import { until } from "../support/until.ts";
import { Lab } from "./support/lab.ts";
import { QueueFront } from "./support/queue-front.ts";
import { type ClientChanges, RecordedClient } from "./support/recorded-client.ts";
import { SentinelGroup } from "./support/sentinel-group.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function clientOf(url: string, changes: ClientChanges = {}): Promise<RecordedClient> {
  const client = await RecordedClient.start(url, changes);
  closing.push(() => client.client.close());
  return client;
}

describe.each(redisKinds)("a queue on a %s", (kind) => {
  it("is reached over TLS by who trusts it", async () => {
    const lab = await Lab.start(kind);
    closing.push(() => lab.close());
    const tls = await TlsFront.to(lab.server.port);
    closing.push(() => tls.close());
    lab.process("v0.9", { transport: { url: `rediss://localhost:${tls.port}`, ca: tls.ca } });
    const url = `rediss://127.0.0.1:${tls.port}`;
    const trusting = { ca: tls.ca, servername: "localhost", rejectUnauthorized: true };
    const client = await clientOf(url, { secrets: async () => ({ password: undefined, tls: trusting }) });
    expect(await client.ask()).toMatch(/^200 /);
    const stranger = await clientOf(url);
    expect(await stranger.ask()).toBe("unavailable");
    expect(String(stranger.losses[0])).toMatch(/self-signed|certificate/);
  });

  it("wants a password", async () => {
    const lab = await Lab.start(kind, ["--requirepass", "right"], "right");
    closing.push(() => lab.close());
    lab.process("v0.9", { transport: { url: `redis://:right@127.0.0.1:${lab.server.port}` } });
    let password = "wrong";
    const secrets: RedisSecrets = async () => ({ password, tls: { rejectUnauthorized: true } });
    const client = await clientOf(lab.server.url, { secrets });
    expect(await client.ask()).toBe("unavailable");
    password = "right";
    await until(() => client.client.isConnected, { what: "the right password" });
    expect(await client.ask()).toMatch(/^200 /);
    expect(client.losses).toHaveLength(1);
  });

  it("is served with the settings' passwords, certificates and users", async () => {
    const user = ["--user", "front", "on", ">right", "~*", "&*", "+@all"];
    const lab = await Lab.start(kind, user);
    closing.push(() => lab.close());
    const tls = await TlsFront.to(lab.server.port);
    closing.push(() => tls.close());
    const folder = await mkdtemp(join(tmpdir(), "pointsman-queue-"));
    closing.push(() => rm(folder, { recursive: true }));
    const [passwordFile, caFile] = [join(folder, "password"), join(folder, "ca.pem")];
    await writeFile(passwordFile, "right\n");
    await writeFile(caFile, tls.ca);
    const redis = { username: "front", passwordFile, tls: { caFile } };
    const front = await QueueFront.start(`rediss://localhost:${tls.port}`, { redis });
    closing.push(() => front.stop());
    lab.process("v0.9");
    await front.healthy();
    expect((await front.post("/v1/completions", "{}")).status).toBe(200);
  });

  it("is found by the sentinels of the settings", async () => {
    const group = await SentinelGroup.start(kind);
    closing.push(() => group.stop());
    const { host, port } = group.address;
    const sentinel = { addresses: [`${host}:${port}`], name: group.name };
    const front = await QueueFront.start("redis://unused", { redis: { sentinel } });
    closing.push(() => front.stop());
    await front.healthy();
  });

  it("is moved by Sentinel to its replica when the primary is killed", async () => {
    const group = await SentinelGroup.start(kind);
    closing.push(() => group.stop());
    const gateway = await FakeWorker.start((response, { body }) => void response.end(body));
    closing.push(() => gateway.close());
    const { host, port } = group.address;
    const processor = new QueueProcessor({
      version: "v0.9",
      transport: {
        mode: "sentinel",
        addrs: [`${host}:${port}`],
        master_name: group.name,
        poll_interval_ms: 5,
        queues: [{ queue_name: "request-sortedset", igw_base_url: `http://${gateway.endpoint}` }],
      },
    });
    closing.push(() => processor.drain());
    const sentinel = { name: group.name, addresses: [group.address] };
    const client = await clientOf("redis://unused", { redis: { sentinel, timeoutMs: 1_000 } });
    expect(await client.ask({ payload: Buffer.from('{"n":1}') })).toBe('200 {"n":1}');
    await group.primary.kill();
    await until(() => client.losses.length > 0, { what: "the loss" });
    expect(await client.ask()).toBe("unavailable");
    await group.failedOver();
    await until(() => client.client.isConnected, { what: "the client to be there" });
    const again = async () =>
      (await client.ask({ payload: Buffer.from('{"n":2}'), timeoutMs: 2_000 })) === '200 {"n":2}';
    await until(again, { what: "the queue to be back" });
  });
});
