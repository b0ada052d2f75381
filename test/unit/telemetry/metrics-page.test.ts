import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Metrics, renderMetricsPage } from "../../../src/telemetry/index.ts";

describe("the metrics page", () => {
  it("is up to date (npm run docs)", async () => {
    const page = await readFile(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
    expect(page).toBe(await renderMetricsPage());
  });

  it("follows Prometheus' naming: counters end in _total, nothing else does", async () => {
    const all = new Metrics({ models: [], version: "1" });
    all.sample({
      ranks: () => [],
      models: () => [],
      reservations: () => ({ booked: 0, leases: 0, leaseEnds: {} }),
      queued: 0,
      sessions: 0,
    });
    const described = await all.describe();
    expect(described.filter(({ name, type }) => name.endsWith("_total") !== (type === "counter"))).toEqual([]);
    expect(described.filter(({ name }) => !name.startsWith("pointsman_"))).toEqual([]);
  });
});
