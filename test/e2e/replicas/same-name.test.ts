import { afterEach, expect, it } from "vitest";
import { RedisServer } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { ReplicaGroup } from "./replica-group.ts";

const open: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.stop();
});

it("two replicas of one name both say so", async () => {
  const redis = await RedisServer.start("redis-server");
  open.push(redis);
  const group = await ReplicaGroup.start("reserve", redis, { size: 2, changes: { replicas: { id: "host" } } });
  open.push(group);
  for (const replica of group.replicas) {
    const isShared = async () => JSON.parse((await replica.get("/replicas")).text).is_name_shared === true;
    await until(isShared, { what: "the shared name to be told" });
  }
  expect(group.replicas).toHaveLength(2);
});
