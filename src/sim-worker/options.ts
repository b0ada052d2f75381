import { randomUUID } from "node:crypto";
import type { EngineTiming } from "./engine.ts";
import { changeFaults, type FaultSettings, noFaults } from "./faults.ts";
import type { KvEventFormat } from "./kv-event-codec.ts";
import { type PairRole, pairRoles } from "./pairing/pair-role.ts";
import type { ReplayFraming } from "./replay-server.ts";

/**
 * Turns a request into the token ids of its prompt, or of each of its prompts, as the engine's own frontend would.
 * Throw to refuse the request: the client then gets status 400 with the error's message.
 * @param path request path without its query
 * @param body the bytes received
 */
export type TokenizePrompt = (
  path: string,
  body: Buffer,
) => Uint32Array | readonly Uint32Array[] | Promise<Uint32Array | readonly Uint32Array[]>;

/** Settings of a simulated worker; each has a default. */
export interface SimWorkerOptions extends Partial<FaultSettings>, Partial<EngineTiming> {
  /** Sent as `x-sim-worker` with every answer. Default `sim-` and the port. */
  readonly name?: string;
  /** Address of all sockets. Default 127.0.0.1. */
  readonly host?: string;
  /** HTTP port; 0 = any free one. Default 0. */
  readonly port?: number;
  /** Names that `/v1/models` lists; the first is the metrics' `model_name`. Any model is served. Default sim-model. */
  readonly models?: readonly string[];
  /** Tokens in a KV block. Default 16. */
  readonly blockSize?: number;
  /** Blocks in the KV cache. Default 8192. */
  readonly gpuBlocks?: number;
  /** Seed of the block ids in KV events; equal seeds give equal ids. Default: random, as in vLLM. */
  readonly hashSeed?: string;
  /** Port on which KV events are published; 0 = any free one. Default: none, no events, as in vLLM. */
  readonly kvEventsPort?: number;
  /** Port that answers replay requests; 0 = any free one. Default: none. Needs `kvEventsPort`. */
  readonly kvReplayPort?: number;
  /** Form of the events in a batch. Default array. */
  readonly kvEventFormat?: KvEventFormat;
  /** Frames of a replay answer. Default with-topic. */
  readonly kvReplayFraming?: ReplayFraming;
  /** Batches held for replay. Default 10 000. */
  readonly kvReplayBatches?: number;
  /** Data-parallel rank named in the events. Default 0. */
  readonly dpRank?: number;
  /** The engine's times are multiplied by this, `delayMs` is not; 0 = no waiting. Default 1. */
  readonly timeScale?: number;
  /** Output tokens when the request does not limit them. Default 16. */
  readonly defaultOutputTokens?: number;
  /** Most output tokens of a sequence, whatever the request asks. Default 4096. */
  readonly maxOutputTokens?: number;
  /** Its part in requests that two workers share. Default none. */
  readonly pairRole?: PairRole;
  /** APIs whose handover fields it drops: `chat`, `completions`, `responses`, `messages`. Default: none. */
  readonly pairIgnoredOn?: readonly string[];
  /** Received requests that `/sim/requests` remembers; 0 = none. Default 256. */
  readonly recordedRequests?: number;
  /** Leading bytes of each body that a record keeps. Default 4096. */
  readonly recordedBodyBytes?: number;
  /** Longer bodies are refused with 413. Default 268 435 456 (256 MiB). */
  readonly maxBodyBytes?: number;
  /** Makes the prompt's tokens when the request does not bring them. Default: `pseudoTokenize`. */
  readonly tokenize?: TokenizePrompt;
  /** Source of the faults' chance, in [0, 1). Default Math.random. */
  readonly random?: () => number;
}

type OptionalSetting = "name" | "kvEventsPort" | "kvReplayPort" | "tokenize";

type WorkerSettings = Required<Omit<SimWorkerOptions, OptionalSetting | keyof FaultSettings | keyof EngineTiming>> &
  Pick<SimWorkerOptions, OptionalSetting>;

/** The settings with every default filled in; times are real ones, the scale is in them. */
export interface ResolvedSimWorkerOptions extends WorkerSettings {
  readonly timing: EngineTiming;
  readonly faults: FaultSettings;
}

const defaultTiming: EngineTiming = {
  maxNumSeqs: 256,
  ttftBaseMs: 5,
  prefillTimePerTokenUs: 40,
  interTokenMs: 5,
  prefillMode: "serial",
  loadFactor: 1,
};

const defaults = {
  host: "127.0.0.1",
  port: 0,
  models: ["sim-model"],
  blockSize: 16,
  gpuBlocks: 8192,
  kvEventFormat: "array",
  kvReplayFraming: "with-topic",
  kvReplayBatches: 10_000,
  dpRank: 0,
  timeScale: 1,
  defaultOutputTokens: 16,
  maxOutputTokens: 4096,
  pairRole: "none",
  pairIgnoredOn: [],
  recordedRequests: 256,
  recordedBodyBytes: 4096,
  maxBodyBytes: 256 * 1024 * 1024,
  random: Math.random,
} as const;

/** Fills in the defaults. Throws RangeError naming the option and its value. */
export function resolveSimWorkerOptions(options: SimWorkerOptions = {}): ResolvedSimWorkerOptions {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved: WorkerSettings = { ...defaults, hashSeed: randomUUID(), ...given };
  checkSettings(resolved);
  const timing = scaledTiming(pick(defaultTiming, given), resolved.timeScale);
  return { ...resolved, timing, faults: changeFaults(noFaults, pick(noFaults, given)) };
}

/** The defaults of one group with the values that `given` has for them. */
function pick<Group extends object>(
  group: Group,
  given: Readonly<Record<string, unknown>>,
): Group & Record<string, unknown> {
  const names = Object.keys(group);
  return { ...group, ...Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))) };
}

function scaledTiming(timing: EngineTiming, timeScale: number): EngineTiming {
  requireInteger("maxNumSeqs", timing.maxNumSeqs, 1);
  for (const name of ["ttftBaseMs", "prefillTimePerTokenUs", "interTokenMs", "loadFactor"] as const) {
    requireAtLeast(name, timing[name], 0);
  }
  requireOneOf("prefillMode", timing.prefillMode, ["serial", "parallel"]);
  return {
    ...timing,
    ttftBaseMs: timing.ttftBaseMs * timeScale,
    prefillTimePerTokenUs: timing.prefillTimePerTokenUs * timeScale,
    interTokenMs: timing.interTokenMs * timeScale,
  };
}

function checkSettings(options: WorkerSettings): void {
  for (const name of ["blockSize", "gpuBlocks", "kvReplayBatches", "defaultOutputTokens", "maxOutputTokens"] as const) {
    requireInteger(name, options[name], 1);
  }
  for (const name of ["recordedRequests", "recordedBodyBytes", "maxBodyBytes", "dpRank", "port"] as const) {
    requireInteger(name, options[name], 0);
  }
  requireAtLeast("timeScale", options.timeScale, 0);
  requireOneOf("kvEventFormat", options.kvEventFormat, ["array", "map"]);
  requireOneOf("kvReplayFraming", options.kvReplayFraming, ["with-topic", "without-topic"]);
  requireOneOf("pairRole", options.pairRole, pairRoles);
  if (options.models.length === 0) throw new RangeError("models must name at least one model");
  if (options.kvReplayPort !== undefined && options.kvEventsPort === undefined) {
    throw new RangeError("kvReplayPort needs kvEventsPort");
  }
}

function requireInteger(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be a whole number, got ${value}`);
  requireAtLeast(name, value, least);
}

function requireAtLeast(name: string, value: number, least: number): void {
  if (!(value >= least && value < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`${name} must be at least ${least}, got ${value}`);
  }
}

function requireOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw new RangeError(`${name} must be one of ${allowed.join(", ")}, got ${value}`);
}
