import { type SimWorker, type SimWorkerOptions, startSimWorker } from "../../../src/sim-worker/index.ts";
import { RunningProxy } from "./running-proxy.ts";

/** A fleet of simulated workers that share requests, with a proxy before it. */
export interface SimFleet {
  readonly prefill: readonly SimWorker[];
  readonly decode: readonly SimWorker[];
  readonly proxy: RunningProxy;
  close(): Promise<void>;
}

export interface SimFleetSetup {
  readonly protocol: "sglang" | "nixl";
  readonly prefill: number;
  readonly decode: number;
  /** Of every worker. */
  readonly options?: SimWorkerOptions;
  /** More settings of the proxy's process, as YAML. */
  readonly settings?: string;
  readonly probes?: boolean;
}

/** Starts workers as strict as the engines, and a proxy that knows them. */
export async function startSimPairs(setup: SimFleetSetup): Promise<SimFleet> {
  const { protocol, options = {}, settings = "", probes = false } = setup;
  const start = (count: number, role: "prefill" | "decode") =>
    Promise.all(
      Array.from({ length: count }, () =>
        startSimWorker({ models: ["m"], pairRole: `${protocol}-${role}`, ...options }),
      ),
    );
  const [prefill, decode] = await Promise.all([start(setup.prefill, "prefill"), start(setup.decode, "decode")]);
  const workers = [
    ...prefill.map((worker) => ["prefill", worker] as const),
    ...decode.map((worker) => ["decode", worker] as const),
  ];
  const proxy = await RunningProxy.start({
    workers: workers.map(([role, { endpoint }]) => ({
      endpoint,
      settings: `role: ${role}, handover: { protocol: ${protocol}, bootstrapPort: ${endpoint.split(":").at(-1)} }`,
    })),
    settings,
    probes,
  });
  return {
    prefill,
    decode,
    proxy,
    close: async () => {
      await proxy.close();
      await Promise.all([...prefill, ...decode].map((worker) => worker.close(0)));
    },
  };
}
