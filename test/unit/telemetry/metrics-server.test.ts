import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Metrics, MetricsServer } from "../../../src/telemetry/index.ts";

let server: MetricsServer;
let url: string;

beforeEach(async () => {
  const metrics = new Metrics({ models: [], version: "9.9.9" });
  server = await MetricsServer.start(metrics, { host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${server.port}`;
});
afterEach(() => server.close());

describe("MetricsServer", () => {
  it("serves the text exposition", async () => {
    const response = await fetch(`${url}/metrics?a=b`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('pointsman_build_info{version="9.9.9"} 1');
  });

  it.each([
    ["GET", "/", 404],
    ["POST", "/metrics", 405],
    ["HEAD", "/metrics", 200],
  ])("answers %s %s with %i", async (method, path, status) => {
    expect((await fetch(url + path, { method })).status).toBe(status);
  });

  it("answers 500 when a sample source throws, and lives on", async () => {
    const metrics = new Metrics({ models: [], version: "1" });
    let isBroken = true;
    metrics.sample({
      ranks: () => {
        if (isBroken) throw new Error("a table is gone");
        return [];
      },
      models: () => [],
      reservations: () => ({ booked: 0, leases: 0, leaseEnds: {} }),
      queued: 0,
      sessions: 0,
    });
    const own = await MetricsServer.start(metrics, { host: "127.0.0.1", port: 0 });
    try {
      const response = await fetch(`http://127.0.0.1:${own.port}/metrics`);
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain("table");
      isBroken = false;
      expect((await fetch(`http://127.0.0.1:${own.port}/metrics`)).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it("refuses an address that is taken", async () => {
    const metrics = new Metrics({ models: [], version: "1" });
    await expect(MetricsServer.start(metrics, { host: "127.0.0.1", port: server.port })).rejects.toThrow("EADDRINUSE");
  });

  it("closes although a client keeps its connection", async () => {
    const own = await MetricsServer.start(new Metrics({ models: [], version: "1" }), { host: "127.0.0.1", port: 0 });
    const socket = connect(own.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.on("error", () => undefined);
    await own.close();
    socket.destroy();
  });
});
