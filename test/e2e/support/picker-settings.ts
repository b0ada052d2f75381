import type { SimWorker } from "../../../src/sim-worker/index.ts";
import type { PickerSettings } from "./picker.ts";

/** The model that is routed by exact tokens, injected into the body, as in front of a Dynamo frontend. */
export const injectedModel = "qwen3";
/** The same model in front of a plain engine: nothing is injected, and fallback endpoints are listed. */
export const engineModel = "qwen3-engine";

/** Tokens in a KV block, at the picker and at every simulated worker. */
export const blockSize = 16;

/** A worker of a gateway: a running one, or an address where nothing listens. */
export type PoolWorker = Pick<SimWorker, "name" | "endpoint" | "kvEventsEndpoint" | "kvReplayEndpoint">;

/** What {@link pickerSettings} needs to know. */
export interface PickerPlace {
  readonly picker: number;
  readonly pickerHealth: number;
  readonly pickerMetrics: number;
  /** Folder with the model's tokenizer and template. */
  readonly modelFolder: string;
  readonly workers: readonly PoolWorker[];
}

/** Settings of a picker for tests: both models, the given workers, loopback ports, picks in the log. */
export function pickerSettings(place: PickerPlace): PickerSettings {
  const model = { folder: place.modelFolder, blockSize };
  return {
    models: [
      { name: injectedModel, profile: "dynamo", ...model },
      { name: engineModel, profile: "vllm", ...model },
    ],
    workers: place.workers.map((worker) => ({
      name: worker.name,
      endpoint: worker.endpoint,
      ...(worker.kvEventsEndpoint === undefined ? {} : { kvEvents: worker.kvEventsEndpoint }),
      ...(worker.kvReplayEndpoint === undefined ? {} : { kvReplay: worker.kvReplayEndpoint }),
    })),
    // A busy machine may need long for a pick.
    extProc: { listen: `127.0.0.1:${place.picker}`, pickDeadlineMs: 60_000 },
    health: { listen: `127.0.0.1:${place.pickerHealth}` },
    metrics: { listen: `127.0.0.1:${place.pickerMetrics}` },
    log: { level: "debug" },
    // A test that stops a worker asks what happens before the picker finds out.
    fleet: { healthCheck: { enabled: false } },
    shutdown: { drainTimeoutMs: 2_000 },
  };
}

/** `base` with the members of `changes`, objects merged member by member. */
export function mergeSettings(base: PickerSettings, changes: PickerSettings): PickerSettings {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(changes)) {
    const old = merged[name];
    merged[name] = isSection(old) && isSection(value) ? mergeSettings(old, value) : value;
  }
  return merged;
}

function isSection(value: unknown): value is PickerSettings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
