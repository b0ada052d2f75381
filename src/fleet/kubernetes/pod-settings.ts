import type { HandoverSettings } from "../handover.ts";
import type { ScoringCapability, WorkerHeaderSettings, WorkerId, WorkerRole } from "../worker.ts";
import { parseWorkerId } from "../worker-id.ts";
import type { Pod } from "./pod.ts";

/** The prefix of our own labels and annotations. */
export const settingPrefix = "pointsman.dev/";

/** What all workers of a fleet have in common, where a pod does not say otherwise. */
export interface PodDefaults {
  readonly role: WorkerRole;
  readonly dpSize: number;
  /** Ports by number or container port name; undefined = none. */
  readonly kvEventsPort: string | undefined;
  readonly kvReplayPort: string | undefined;
  /** Undefined = the endpoint's. */
  readonly metricsPort: string | undefined;
  readonly totalKvBlocks: number | undefined;
  readonly headers: WorkerHeaderSettings;
  /** By role. */
  readonly handovers: ReadonlyMap<WorkerRole, HandoverSettings>;
  /** How aggregated pods score prompts; absent = they cannot. */
  readonly scoring?: ScoringCapability | undefined;
}

/** What a pod is as a worker, in all it says and what is assumed. */
export interface PodSettings extends PodDefaults {
  /** Names of the models; empty = it does not say. */
  readonly models: readonly string[];
  /** Of the first port; undefined = made from the name. */
  readonly workerId: WorkerId | undefined;
  readonly dpRankStart: number;
  /** LoRA adapters that it has loaded; undefined = it does not say. */
  readonly adapters: readonly string[] | undefined;
  readonly blockSize: number | undefined;
  readonly profile: string | undefined;
  readonly taints: readonly string[];
  readonly bootstrapPort: string | undefined;
  readonly engineId: string | undefined;
}

/** A setting of a pod that cannot be used, with what was expected instead. */
export type RefusedSetting = (key: string, value: string, expected: string) => void;

/** Roles by the words of labels. Sources: llm-d-router docs, label llm-d.ai/role; Dynamo operator, sub-component type. */
const roles: ReadonlyMap<string, WorkerRole> = new Map<string, WorkerRole>([
  ["aggregated", "aggregated"],
  ["both", "aggregated"],
  ["prefill-decode", "aggregated"],
  ["encode-prefill-decode", "aggregated"],
  ["worker", "aggregated"],
  ["prefill", "prefill"],
  ["encode-prefill", "prefill"],
  ["decode", "decode"],
  ["encode", "encode"],
]);

/** Labels of others that say a role, in this order, after ours. */
const roleLabels = ["llm-d.ai/role", "nvidia.com/dynamo-sub-component-type", "nvidia.com/dynamo-component-type"];

/** What a pod's annotations and labels say. @param refused called for each value that is passed over */
export function settingsOf(pod: Pod, defaults: PodDefaults, refused: RefusedSetting): PodSettings {
  const read = new SettingReader(pod, refused);
  return {
    role: read.role() ?? defaults.role,
    models: read.list("models") ?? [],
    adapters: read.list("adapters"),
    workerId: read.parsed("worker-id", "a decimal number below 2^64", parseWorkerId),
    dpRankStart: read.count("data-parallel-start-rank", 0, 65_535) ?? 0,
    dpSize: read.count("data-parallel-size", 1, 4_096) ?? defaults.dpSize,
    kvEventsPort: read.text("kv-events-port") ?? defaults.kvEventsPort,
    kvReplayPort: read.text("kv-replay-port") ?? defaults.kvReplayPort,
    metricsPort: read.text("metrics-port") ?? defaults.metricsPort,
    totalKvBlocks: read.count("total-kv-blocks", 1, Number.MAX_SAFE_INTEGER) ?? defaults.totalKvBlocks,
    blockSize: read.count("block-size", 1, 1_048_576),
    profile: read.text("profile"),
    taints: read.list("taints") ?? [],
    bootstrapPort: read.text("bootstrap-port"),
    engineId: read.text("engine-id"),
    headers: defaults.headers,
    handovers: defaults.handovers,
    scoring: defaults.scoring,
  };
}

/** Most entries of a list: all are looked at with each event of the pod. */
const maxListed = 1_024;

/** One setting after the other: an annotation of ours wins over a label of ours. */
class SettingReader {
  readonly #pod: Pod;
  readonly #refused: RefusedSetting;

  constructor(pod: Pod, refused: RefusedSetting) {
    this.#pod = pod;
    this.#refused = refused;
  }

  text(name: string): string | undefined {
    const key = settingPrefix + name;
    const text = (this.#pod.annotations.get(key) ?? this.#pod.labels.get(key))?.trim();
    return text === "" ? undefined : text;
  }

  list(name: string): readonly string[] | undefined {
    const parts = this.parsed(name, `at most ${maxListed} entries with commas between`, (text) => {
      const found = text.split(",", maxListed + 1);
      return found.length > maxListed ? undefined : found.map((part) => part.trim()).filter((part) => part !== "");
    });
    return parts?.length === 0 ? undefined : parts;
  }

  parsed<T>(name: string, expected: string, parse: (text: string) => T | undefined): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) this.#refused(settingPrefix + name, text, expected);
    return value;
  }

  count(name: string, least: number, most: number): number | undefined {
    return this.parsed(name, `a whole number from ${least} to ${most}`, (text) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    });
  }

  role(): WorkerRole | undefined {
    const own = this.parsed("role", `one of ${[...roles.keys()].join(", ")}`, (text) => roles.get(text));
    if (own !== undefined) return own;
    // Other values of these labels are none of a worker's business.
    for (const key of roleLabels) {
      const role = roles.get(this.#pod.labels.get(key) ?? "");
      if (role !== undefined) return role;
    }
    return undefined;
  }
}
