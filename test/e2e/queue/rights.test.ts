import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { RedisSecrets } from "../../../src/redis/index.ts";
import { redisKinds } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { Lab } from "./support/lab.ts";
import { RecordedClient } from "./support/recorded-client.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const cases = redisKinds.flatMap((kind) => (["v0.9", "v0.10"] as const).map((wire) => ({ kind, wire })));

describe.each(cases)("a user of a $kind who writes as $wire", ({ kind, wire }) => {
  async function labWith(rules: string): Promise<Lab> {
    const lab = await Lab.start(kind, ["--user", ...rules.replace("PASSWORD", "pw").split(" ")]);
    closing.push(() => lab.close());
    return lab;
  }

  async function clientOf(lab: Lab, resultLists: "instance" | "request"): Promise<RecordedClient> {
    const secrets: RedisSecrets = async () => ({ password: "pw", tls: { rejectUnauthorized: true } });
    const redis = { username: "pointsman" };
    const changes = { wire, resultLists, secrets, heartbeatMs: 10, redis };
    const client = await RecordedClient.start(lab.server.url, changes);
    closing.push(() => client.client.close());
    return client;
  }

  const rulesOfPage = async () => {
    const page = await readFile(new URL("../../../docs/queue.md", import.meta.url), "utf8");
    const [, rules = ""] = /^ {4}ACL SETUSER (pointsman .*)$/m.exec(page) ?? [];
    return rules;
  };

  it.each(["instance", "request"] as const)(
    "needs no more rights than the page says, with lists for each %s",
    async (lists) => {
      const lab = await labWith(await rulesOfPage());
      lab.process(wire);
      const client = await clientOf(lab, lists);
      expect(await client.ask()).toMatch(/^200 /);
      client.client.cancel("nobody");
      await until(() => client.cancellations.length === 1, { what: "the cancellation" });
      await lab.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await until(() => client.connections === 2, { what: "the client to be back" });
      expect(await client.ask()).toMatch(/^200 /);
      const finding = await client.client.canary("request-sortedset", 5_000, new AbortController().signal);
      expect(finding.kind).toBe("arrived");
      expect(client.failures.map(({ cause }) => String(cause)).filter((cause) => cause.includes("NOPERM"))).toEqual([]);
      expect(await lab.redis.call("ACL", "LOG")).toEqual([]);
    },
  );

  it("does without those of which the page says so", async () => {
    const rules = (await rulesOfPage()).replaceAll(/ \+(client\|kill|lrange|lrem)\b/g, "");
    const lab = await labWith(rules);
    lab.process(wire, { queue: { result_queue_name: "result-list" } });
    const client = await clientOf(lab, "instance");
    const finding = await client.client.canary("request-sortedset", 10_000, new AbortController().signal);
    expect(finding).toEqual({ kind: "swallowed", foundIn: undefined });
    await lab.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(() => client.connections === 2, { what: "the client to be back" });
  });
});
