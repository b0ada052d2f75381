import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { mergedPage } from "../../../../src/commands/shards/merged-metrics.ts";

async function page(value: number, more?: (registry: Registry) => void): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({ name: "plain", help: "No labels.", registers }).set(value);
  new Counter({ name: "some_total", help: "A # in the help.", labelNames: ["code"], registers }).inc(
    { code: "a b" },
    value,
  );
  new Histogram({ name: "size", help: "Sizes.", buckets: [1, 2], registers }).observe(value);
  more?.(registry);
  return registry.metrics();
}

it("one page has each metric once, with the samples of all processes told apart", async () => {
  const merged = mergedPage([
    { shard: "0", text: await page(1) },
    { shard: "1", text: await page(2) },
  ]);
  expect(merged.split("\n")).toEqual([
    "# HELP plain No labels.",
    "# TYPE plain gauge",
    'plain{shard="0"} 1',
    'plain{shard="1"} 2',
    "# HELP some_total A # in the help.",
    "# TYPE some_total counter",
    'some_total{shard="0",code="a b"} 1',
    'some_total{shard="1",code="a b"} 2',
    "# HELP size Sizes.",
    "# TYPE size histogram",
    'size_bucket{shard="0",le="1"} 1',
    'size_bucket{shard="0",le="2"} 1',
    'size_bucket{shard="0",le="+Inf"} 1',
    'size_sum{shard="0"} 1',
    'size_count{shard="0"} 1',
    'size_bucket{shard="1",le="1"} 0',
    'size_bucket{shard="1",le="2"} 1',
    'size_bucket{shard="1",le="+Inf"} 1',
    'size_sum{shard="1"} 2',
    'size_count{shard="1"} 1',
    "",
  ]);
});

it("a metric that only one process has is there, and a label of that name stays", async () => {
  const own = (registry: Registry) => {
    const gauge = new Gauge({ name: "of_shards", help: "By shard.", labelNames: ["shard"], registers: [registry] });
    gauge.set({ shard: "7" }, 1);
  };
  const merged = mergedPage([
    { shard: "supervisor", text: await page(1, own) },
    { shard: "0", text: await page(2) },
  ]);
  expect(merged).toContain('of_shards{shard="7"} 1\n');
  expect(merged.match(/# TYPE/g)).toHaveLength(4);
});

it("braces, spaces and the word shard in values are values", () => {
  const text = '# HELP a b\n# TYPE a gauge\na{reason="x {shard=\\"1\\"} y"} 3\n';
  expect(mergedPage([{ shard: "0", text }])).toContain('a{shard="0",reason="x {shard=\\"1\\"} y"} 3');
});

it("no pages are an empty one", () => {
  expect(mergedPage([]).trim()).toBe("");
});
