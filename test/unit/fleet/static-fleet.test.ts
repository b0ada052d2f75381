import { describe, expect, it } from "vitest";
import { type StaticWorkerEntry, staticWorkers } from "../../../src/fleet/index.ts";

const entry: StaticWorkerEntry = { name: "worker-0", endpoint: "10.0.0.1:8000" };

describe("staticWorkers", () => {
  it("fills in what an entry leaves out", () => {
    expect(staticWorkers([entry])).toEqual([
      {
        id: 1_186_445_869_714_687n,
        incarnation: "static",
        name: "worker-0",
        endpoint: "10.0.0.1:8000",
        role: "aggregated",
        models: [],
        dpRankStart: 0,
        dpSize: 1,
        kvEvents: [],
        totalKvBlocks: undefined,
        taints: new Set(),
        labels: new Map(),
        headers: { sendsDataParallelRank: false, sendsPrefillHost: false },
        healthPath: "/health",
      },
    ]);
  });

  it("takes what an entry says", () => {
    const [spec] = staticWorkers([
      {
        ...entry,
        id: "42",
        endpoint: "[0:0::1]:8000",
        models: ["m"],
        role: "decode",
        totalKvBlocks: 1_280,
        taints: ["gpu"],
        labels: { zone: "a" },
        sendsDataParallelRank: true,
        healthPath: "",
      },
    ]);
    expect(spec).toMatchObject({
      id: 42n,
      endpoint: "[::1]:8000",
      models: ["m"],
      role: "decode",
      totalKvBlocks: 1_280,
    });
    expect([spec?.taints.has("gpu"), spec?.labels.get("zone")]).toEqual([true, "a"]);
    expect([spec?.headers.sendsDataParallelRank, spec?.healthPath]).toEqual([true, undefined]);
  });

  it("counts event ports up by dp rank", () => {
    const [spec] = staticWorkers([
      { ...entry, dpRankStart: 2, dpSize: 2, kvEvents: "tcp://10.0.0.1:5557", kvReplay: "tcp://[0:0::1]:5600" },
    ]);
    expect(spec?.kvEvents).toEqual([
      { endpoint: "tcp://10.0.0.1:5559", replayEndpoint: "tcp://[::1]:5602" },
      { endpoint: "tcp://10.0.0.1:5560", replayEndpoint: "tcp://[::1]:5603" },
    ]);
  });

  it.each<[string, StaticWorkerEntry[]]>([
    ["workers[0].endpoint must be host:port, got 10.0.0.1", [{ ...entry, endpoint: "10.0.0.1" }]],
    ["workers[0].id must be a decimal number below 2^64, got x", [{ ...entry, id: "x" }]],
    ["workers[0].kvEvents must be tcp://host:port, got ipc:///x", [{ ...entry, kvEvents: "ipc:///x" }]],
    ["workers[0].kvReplay needs kvEvents", [{ ...entry, kvReplay: "tcp://h:1" }]],
    ["workers[0].kvEvents: port of rank 1 would be 65536", [{ ...entry, dpSize: 2, kvEvents: "tcp://h:65535" }]],
    ["workers[1].id 1186445869714687 is that of workers[0] too", [entry, { ...entry, endpoint: "h:1" }]],
    ["workers[1].endpoint 10.0.0.1:8000 is that of workers[0] too", [entry, { ...entry, name: "other" }]],
  ])("refuses: %s", (message, entries) => {
    expect(() => staticWorkers(entries)).toThrow(new RangeError(message));
  });
});
