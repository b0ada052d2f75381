import fc from "fast-check";
import { Counter, Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { HotCounter, HotHistogram } from "../../../src/telemetry/hot-metrics.ts";

const labels = fc.record({ a: fc.constantFrom("x", "y", 'q"\n\\'), b: fc.constantFrom("x", "") });
const value = fc.oneof(fc.nat(20), fc.double({ min: 0, max: 20, noNaN: true }));

it("a counter reads as prom-client's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(labels, value)), async (changes) => {
      const options = { name: "n_total", help: "What it counts.", labelNames: ["a", "b"] as const };
      const ours = new Registry();
      const theirs = new Registry();
      const hot = new HotCounter({ ...options, registers: [ours] });
      const plain = new Counter({ ...options, registers: [theirs] });
      for (const [each, amount] of changes) {
        hot.inc(each, amount);
        plain.inc(each, amount);
      }
      expect(await ours.metrics()).toBe(await theirs.metrics());
    }),
  );
});

it("a histogram reads as prom-client's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(labels, value)), async (observations) => {
      const buckets = [0, 1, 2.5, 10];
      const options = { name: "n", help: "What it counts.", labelNames: ["a", "b"] as const, buckets };
      const ours = new Registry();
      const theirs = new Registry();
      const hot = new HotHistogram({ ...options, registers: [ours] });
      const plain = new Histogram({ ...options, registers: [theirs] });
      for (const [each, amount] of observations) {
        hot.observe(each, amount);
        plain.observe(each, amount);
      }
      expect(await ours.metrics()).toBe(await theirs.metrics());
    }),
  );
});

it("metrics without labels read as prom-client's before and after they change", async () => {
  const ours = new Registry();
  const theirs = new Registry();
  const counter = { name: "c_total", help: "Counts." };
  const histogram = { name: "h", help: "Times.", buckets: [1, 2] };
  const hot = [
    new HotCounter({ ...counter, registers: [ours] }),
    new HotHistogram({ ...histogram, registers: [ours] }),
  ];
  const plain = [
    new Counter({ ...counter, registers: [theirs] }),
    new Histogram({ ...histogram, registers: [theirs] }),
  ];
  expect(await ours.metrics()).toBe(await theirs.metrics());
  (hot[0] as HotCounter).inc({});
  (hot[1] as HotHistogram).observe({}, 1.5);
  (plain[0] as Counter).inc();
  (plain[1] as Histogram).observe(1.5);
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
