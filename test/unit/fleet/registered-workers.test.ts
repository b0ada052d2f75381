import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import {
  Catalogue,
  RegisteredWorkers,
  type RegisteredWorkersOptions,
  type WorkerRegistration,
} from "../../../src/fleet/index.ts";
import { idOf, specOf } from "./worker-specs.ts";

const roomy: RegisteredWorkersOptions = {
  maxWorkers: 10,
  maxRanks: 20,
  needsKvEvents: true,
  needsAddress: false,
  healthPath: undefined,
};

function registration(id: number, changes: Partial<WorkerRegistration> = {}): WorkerRegistration {
  return {
    workerId: idOf(id),
    modelName: "m",
    routingGroup: "g",
    endpoint: `http://10.0.0.${id}:8000`,
    kvEventsEndpoint: "tcp://127.0.0.1:5557",
    kvEventsEndpoints: new Map(),
    replayEndpoint: undefined,
    replayEndpoints: new Map(),
    blockSize: 16,
    dataParallelStartRank: undefined,
    dataParallelSize: undefined,
    maxNumBatchedTokens: undefined,
    totalKvBlocks: undefined,
    stableRoutingId: undefined,
    isEagle: undefined,
    taints: [],
    topologyDomains: new Map(),
    kvTransferDomain: undefined,
    kvTransferEnforcement: undefined,
    kvTransferPreferredWeight: undefined,
    routerHintWorkerType: undefined,
    routerHintSourceControlEndpoints: new Map(),
    name: undefined,
    role: undefined,
    isDraining: undefined,
    ...changes,
  };
}

/** Workers over partitions that are named by model and block size, and refuse a block size of 7. */
function setUp(options: Partial<RegisteredWorkersOptions> = {}) {
  const catalogue = new Catalogue();
  const released: string[] = [];
  const workers = new RegisteredWorkers<string>(
    catalogue,
    {
      claim: ({ modelName, blockSize }) => {
        if (blockSize === 7) throw new RoutingError("seven does not fit", { code: "worker_conflict" });
        return `${modelName}/${blockSize}`;
      },
      nameOf: (partition) => partition,
      release: (partition) => released.push(partition),
    },
    { ...roomy, ...options },
  );
  return { catalogue, workers, released };
}

describe("registered workers", () => {
  it("are in the catalogue from the moment on at which nothing is missing", () => {
    const { catalogue, workers } = setUp();
    const first = workers.put(registration(1, { blockSize: undefined, kvEventsEndpoint: undefined }));
    expect(first).toMatchObject({
      lifecycle: "incomplete",
      notSchedulableReasons: ["block_size must be greater than 0", "kv_events endpoint is required for dp_rank 0"],
    });
    expect(catalogue.size).toBe(0);
    workers.patch(idOf(1), { blockSize: 16 });
    expect(workers.get(idOf(1))?.lifecycle).toBe("incomplete");
    const last = workers.patch(idOf(1), { kvEventsEndpoint: "tcp://127.0.0.1:1" });
    expect(last).toMatchObject({ lifecycle: "schedulable", notSchedulableReasons: [] });
    expect(catalogue.get(idOf(1))).toMatchObject({ endpoint: "10.0.0.1:8000", models: ["m/16"], name: "worker-1" });
  });

  it.each([
    { name: "no endpoint", changes: { endpoint: "" }, reason: "endpoint is required" },
    { name: "no ranks", changes: { dataParallelSize: 0 }, reason: "data_parallel_size must be greater than 0" },
    {
      name: "one replay socket for two ranks",
      changes: {
        dataParallelSize: 2,
        kvEventsEndpoints: new Map([
          [0, "tcp://h:1"],
          [1, "tcp://h:2"],
        ]),
        replayEndpoint: "tcp://h:3",
      },
      reason: "replay_endpoint is supported only",
    },
    {
      name: "events at no address",
      changes: { kvEventsEndpoint: "http://x" },
      reason: "reconciliation failed: invalid kv_events",
    },
    {
      name: "a partition that it does not fit",
      changes: { blockSize: 7 },
      reason: "reconciliation failed: seven does not fit",
    },
  ] as const)("are incomplete with $name", ({ changes, reason }) => {
    const { catalogue, workers } = setUp();
    const record = workers.put(registration(1, changes));
    expect(record.lifecycle).toBe("incomplete");
    expect(record.notSchedulableReasons.join()).toContain(reason);
    expect(catalogue.size).toBe(0);
  });

  it("list few reasons of many ranks", () => {
    const { workers } = setUp({ maxRanks: 4_096 });
    const record = workers.put(registration(1, { dataParallelSize: 4_000, kvEventsEndpoint: undefined }));
    expect(record.notSchedulableReasons).toHaveLength(33);
  });

  it("need an address only where a gateway sends to them", () => {
    const anything = registration(1, { endpoint: "rack 7, the left one" });
    expect(setUp().workers.put(anything).lifecycle).toBe("schedulable");
    const { workers } = setUp({ needsAddress: true });
    expect(workers.put(anything).notSchedulableReasons).toEqual(["endpoint must be host:port or a URL with one"]);
  });

  it("leave the catalogue when they become incomplete, and stay the same worker when little changes", () => {
    const { catalogue, workers, released } = setUp();
    workers.put(registration(1));
    const worker = catalogue.get(idOf(1));
    workers.patch(idOf(1), { taints: ["t"], endpoint: "http://10.9.9.9:1" });
    expect(catalogue.get(idOf(1))).toBe(worker);
    workers.put(registration(1, { endpoint: "" }));
    expect(catalogue.size).toBe(0);
    expect(released).toEqual(["m/16"]);
  });

  it("give their partition back with the last of them, and when they move to another", () => {
    const { workers, released } = setUp();
    workers.put(registration(1));
    workers.put(registration(2));
    workers.put(registration(3, { blockSize: undefined }));
    expect(workers.remove(idOf(1))).toMatchObject({ lifecycle: "unschedulable" });
    expect(released).toEqual([]);
    workers.patch(idOf(2), { blockSize: 32 });
    expect(released).toEqual(["m/16"]);
    workers.remove(idOf(2));
    expect(released).toEqual(["m/16", "m/32"]);
    expect(workers.remove(idOf(2))).toBeUndefined();
  });

  it("are bounded by number and by ranks; what is there may be described anew", () => {
    const { workers } = setUp({ maxWorkers: 2, maxRanks: 5, needsKvEvents: false });
    workers.put(registration(1, { dataParallelSize: 2 }));
    workers.put(registration(2, { dataParallelSize: 3 }));
    expect(() => workers.put(registration(3))).toThrow(expect.objectContaining({ code: "saturated" }));
    expect(() => workers.patch(idOf(1), { dataParallelSize: 3 })).toThrow(
      expect.objectContaining({ code: "saturated" }),
    );
    expect(workers.get(idOf(1))?.dataParallelSize).toBe(2);
    expect(workers.put(registration(2, { dataParallelSize: 3 })).lifecycle).toBe("schedulable");
    expect(() => workers.put(registration(2, { dataParallelSize: 4_097 }))).toThrow("exceeds the maximum 4096");
    expect(() => workers.put(registration(2, { dataParallelStartRank: 0xffff_ffff }))).toThrow(
      "data_parallel_start_rank",
    );
  });

  it("may not take the id of a configured worker", () => {
    const { catalogue, workers } = setUp();
    catalogue.put(specOf(1));
    expect(() => workers.put(registration(1))).toThrow(expect.objectContaining({ code: "worker_conflict" }));
    expect(workers.patch(idOf(1), {})).toBeUndefined();
    expect(workers.remove(idOf(1))).toBeUndefined();
    expect(catalogue.size).toBe(1);
  });

  it("are listed by model, group and id", () => {
    const { workers } = setUp();
    for (const [id, modelName, routingGroup] of [
      [3, "b", "g"],
      [2, "a", "h"],
      [10, "a", "g"],
      [9, "a", "g"],
    ] as const) {
      workers.put(registration(id, { modelName, routingGroup }));
    }
    expect(workers.values().map(({ workerId }) => Number(workerId))).toEqual([9, 10, 2, 3]);
  });
});
