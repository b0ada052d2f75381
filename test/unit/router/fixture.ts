import { Buffer } from "node:buffer";
import { Catalogue, type StaticWorkerEntry, staticWorkers } from "../../../src/fleet/index.ts";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import {
  type AdmissionQueue,
  type BusyThresholds,
  LeaseTable,
  LoadTable,
  LoadView,
  noThresholds,
} from "../../../src/load/index.ts";
import { type ProfileName, profileByName, type TokenizedPrompt } from "../../../src/model/index.ts";
import { resolvePickOptions, SessionTable } from "../../../src/pick/index.ts";
import {
  DecisionLog,
  ModelRegistry,
  noAdmission,
  type PromptPipeline,
  type RequestHeaders,
  type RouteRequest,
  Router,
  type RouterOptions,
  resolveDisaggregation,
  type SentPrompts,
  type ServedModel,
} from "../../../src/router/index.ts";
import { sglang, vllm } from "../api/fixtures.ts";

export const blockSize = 4;

/** One token a character code of the last user message or the prompt: enough to tell prompts apart. */
export function characterPipeline(profile: ProfileName): PromptPipeline {
  return {
    profile: profileByName(profile),
    blockSize,
    engine: profile === "dynamo" ? undefined : { vllm, sglang }[profile],
    tokenize: async (parsed) => {
      if (parsed.api !== "completions") return prompt([...JSON.stringify(parsed.chat.messages.length)]);
      const { prompt: asked } = parsed;
      if (asked.kind === "texts") return { ...prompt([...(asked.texts[0] ?? "")]), injectable: false };
      if (parsed.extensions.tokenData !== undefined) {
        return { ...prompt([]), tokenIds: parsed.extensions.tokenData, injectable: false };
      }
      return prompt(asked.kind === "text" ? [...asked.text] : []);
    },
  };
}

function prompt(characters: readonly string[]): TokenizedPrompt {
  const tokenIds = Uint32Array.from(characters, (character) => character.codePointAt(0) ?? 0);
  return {
    tokenIds,
    injectable: true,
    batch: undefined,
    decimals: undefined,
    chain: undefined,
    pieces: undefined,
    inexactReason: undefined,
    isDeferred: false,
    head: undefined,
  };
}

export interface Fixture {
  readonly router: Router;
  readonly catalogue: Catalogue;
  readonly loads: LoadTable;
  readonly leases: LeaseTable;
  readonly view: LoadView;
  readonly decisions: DecisionLog;
  readonly model: ServedModel;
  /** Makes a worker hold the blocks of a text. */
  hold(worker: string, text: string): void;
}

export interface FixtureOptions {
  readonly profile?: ProfileName;
  readonly workers: readonly StaticWorkerEntry[];
  readonly options?: Partial<RouterOptions>;
  readonly random?: () => number;
  readonly clock?: { now(): number };
  readonly queue?: AdmissionQueue;
  readonly thresholds?: BusyThresholds;
  readonly sentPrompts?: SentPrompts;
  readonly isEagle?: boolean;
  /** Default: one token a character. */
  readonly pipeline?: PromptPipeline;
}

export function fixture({
  profile = "dynamo",
  workers,
  options = {},
  random = () => 0,
  clock = { now: () => 0 },
  sentPrompts,
  isEagle = false,
  pipeline = characterPipeline(profile),
  queue,
  thresholds = noThresholds,
}: FixtureOptions): Fixture {
  const index = new PrefixIndex({ blockSize, maxBlocks: 1024 });
  const model: ServedModel = {
    name: "m",
    aliases: ["alias"],
    adapters: ["tuned"],
    isEagle,
    pipeline,
    index,
  };
  const catalogue = new Catalogue();
  catalogue.replaceAll(staticWorkers(workers));
  const loads = new LoadTable();
  const decisions = new DecisionLog({ maxDecisions: 4 }, () => 1_000);
  const view = new LoadView(loads, thresholds, clock, { staleAfterMs: 500 });
  let lastId = 0;
  const leases = new LeaseTable({ leaseMs: 1_000 }, clock, () => `made-${++lastId}`);
  catalogue.subscribe({
    onRemoved: ({ slot }) => {
      loads.removeSlot(slot);
      leases.dropLost();
    },
  });
  const router = new Router(
    {
      models: new ModelRegistry([model]),
      catalogue,
      loads,
      view,
      leases,
      sessions: new SessionTable({ ttlMs: 1_000 }, clock),
      random,
      decisions,
      ...(queue === undefined ? {} : { queue }),
      ...(sentPrompts === undefined ? {} : { sentPrompts }),
    },
    {
      pick: resolvePickOptions(),
      disaggregation: resolveDisaggregation(),
      admission: noAdmission,
      affinity: { mode: "soft", softRatio: 0.5, softBlocks: 2 },
      maxFallbacks: 0,
      refuseUnknownShapes: false,
      maxJsonDepth: 64,
      unknownModel: "refuse",
      ...options,
    },
  );
  const hold = (name: string, text: string): void => {
    const worker = [...catalogue.workers()].find((each) => each.name === name);
    const hashes = hashBlocks(
      Uint32Array.from([...text], (c) => c.codePointAt(0) ?? 0),
      { blockSize },
    );
    index.store(worker?.ranks[0]?.slot ?? -1, {
      parentHash: undefined,
      blockHashes: hashes.sequence,
      localHashes: hashes.local,
    });
  };
  return { router, catalogue, loads, view, leases, decisions, model, hold };
}

export function headers(values: Readonly<Record<string, string>> = {}): RequestHeaders {
  return {
    get: (name) => values[name],
    getAll: (name) => (values[name] === undefined ? [] : [values[name]]),
  };
}

export function completion(text: unknown, more: Readonly<Record<string, unknown>> = {}): RouteRequest {
  return request("/v1/completions", JSON.stringify({ model: "m", prompt: text, ...more }));
}

export function request(path: string | undefined, body: string): RouteRequest {
  return {
    path,
    headers: headers(),
    body: Buffer.from(body),
    subset: undefined,
    requestedEndpoints: undefined,
    trustClient: false,
  };
}
