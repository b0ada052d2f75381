import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "./support/client.ts";
import { envoyBinary } from "./support/envoy-binary.ts";
import { streamsPerConnection } from "./support/envoy-patches.ts";
import { Gateway } from "./support/gateway.ts";
import { parseMetrics, type Sample, sumOf } from "./support/metrics.ts";
import { idle } from "./support/picker-metrics.ts";
import { continued, opening } from "./support/prompts.ts";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.start({
    kind: { bodies: "full-duplex", hosts: "override-host" },
    launcher: envoyBinary,
    workers: 2,
    picker: {
      shards: { count: 2, restartMinMs: 50 },
    },
    // The system spreads connections, of which Envoy would open one for each of its threads.
    patches: [streamsPerConnection(4)],
  });
});

afterAll(async () => {
  await gateway.stop();
});

async function samples(): Promise<readonly Sample[]> {
  return parseMetrics(await gateway.picker.metricsText());
}

/** A metric of each shard, summed up. */
async function byShard(name: string): Promise<readonly number[]> {
  const all = await samples();
  return ["0", "1"].map((shard) => sumOf(all, name, { shard }));
}

async function askMany(seed: number, count: number): Promise<readonly number[]> {
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => ask(gateway, opening(seed + i))));
  return answers.map(({ status }) => status);
}

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").map(Number);
}

const ok = (count: number) => Array.from({ length: count }, () => 200);

describe("two shards behind one port", () => {
  it("both pick, and know of each other", async () => {
    for (let round = 0; round < 3; round++) expect(await askMany(10_000 + 100 * round, 40)).toEqual(ok(40));
    const picks = () => byShard("pointsman_picks_total");
    await expect.poll(async () => (await picks()).reduce((sum, each) => sum + each, 0)).toBe(120);
    expect(Math.min(...(await picks()))).toBeGreaterThan(0);
    await expect.poll(() => byShard("pointsman_replica_siblings")).toEqual([1, 1]);
    await idle(gateway);
    await expect.poll(() => byShard("pointsman_replica_worker_requests")).toEqual([0, 0]);
  });

  it("follow the KV events alike, so that either finds a conversation's cache", async () => {
    const first = opening(11_000);
    const { worker } = await ask(gateway, first);
    const areAlike = async () => {
      const [one = 0, other = 0] = await byShard("pointsman_kv_events_applied_total");
      return one > 0 && one === other;
    };
    await expect.poll(areAlike).toBe(true);
    const next = continued(first, "A short answer.", "And then?");
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(gateway, next)));
    expect(answers.map((answer) => answer.worker)).toContain(worker);
    const held = await byShard("pointsman_predicted_cached_tokens_sum");
    expect(held.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0);
  });

  it("one that is killed is started again, and the other serves meanwhile", async () => {
    const [victim] = await childrenOf(gateway.picker.pid);
    if (victim === undefined) throw new Error("there are no shards");
    process.kill(victim, "SIGKILL");
    const restarts = async () => sumOf(await samples(), "pointsman_shard_restarts_total");
    await expect.poll(restarts).toBe(1);
    expect(await askMany(12_000, 20)).toEqual(ok(20));
    const ready = async () => sumOf(await samples(), "pointsman_shard_ready");
    await expect.poll(ready, { timeout: 90_000 }).toBe(2);
    await expect.poll(() => byShard("pointsman_replica_siblings")).toEqual([1, 1]);
    expect(await askMany(13_000, 40)).toEqual(ok(40));
  });

  it("end together, and cleanly", async () => {
    const shards = await childrenOf(gateway.picker.pid);
    expect(await gateway.stopPicker("SIGTERM")).toBe("exit code 0");
    for (const pid of shards) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await gateway.startPicker();
    expect(await askMany(14_000, 4)).toEqual(ok(4));
  });
});
