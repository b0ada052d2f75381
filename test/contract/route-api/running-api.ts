import { assembleCore, type Core } from "../../../src/commands/assemble.ts";
import { KvFollower } from "../../../src/commands/kv-follower.ts";
import { PromptService } from "../../../src/commands/prompt-service.ts";
import { type RunningRouteApi, routeOperationsOf, startRouteApi } from "../../../src/commands/route-api.ts";
import { type ServedModels, servedModels } from "../../../src/commands/served-models.ts";
import { UntoldPrefill } from "../../../src/commands/untold-prefill.ts";
import { type Config, loadConfig } from "../../../src/config/index.ts";
import type { Worker } from "../../../src/fleet/index.ts";
import type { Operation } from "../../../src/http/index.ts";
import { JsonReader } from "../../../src/json/index.ts";
import { createLogger, Metrics, type RequestTracer } from "../../../src/telemetry/index.ts";
import { send } from "../../unit/http/support.ts";

/** An answer whose integers beyond 2^53 are bigints. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are of many shapes, and compared whole.
  readonly body: any;
}

/** Weights and tie-break of dynamo@1.6.1, for comparisons with it. */
export const dynamoRouting = `
routing: { prefillLoadScale: 1, tieBreak: random, crowdingSlack: 0 }
affinity: { mode: "off" }
`;

const ignore = () => undefined;
const noChecks = { same: () => undefined, different: () => undefined, skipped: () => undefined };
const noEvents = { prepared: ignore, failed: ignore, faulty: ignore, ended: ignore };

interface ApiSetup {
  readonly listen?: string;
  /** Gets every line of the log, from level debug on. Default: there is none. */
  readonly logLine?: (line: string) => void;
  /** Makes traces. Default: there are none. */
  readonly tracer?: RequestTracer;
  /** Whether models are never loaded, as in the first seconds. Default: they are, before the start. */
  readonly isLoading?: boolean;
}

/** A route API over a core of its own, on a port of its own. */
export class RunningApi {
  readonly core: Core;
  readonly metrics: Metrics;
  readonly operations: readonly Operation[];
  readonly #parts: readonly { close(): Promise<void> }[];
  readonly #listening: RunningRouteApi;

  private constructor(
    core: Core,
    metrics: Metrics,
    operations: readonly Operation[],
    parts: readonly { close(): Promise<void> }[],
    listening: RunningRouteApi,
  ) {
    this.core = core;
    this.metrics = metrics;
    this.operations = operations;
    this.#parts = parts;
    this.#listening = listening;
  }

  /** @param settings YAML; the listener's port is the system's to choose */
  static async start(
    settings: string,
    { listen = "127.0.0.1:0", logLine, tracer, isLoading = false }: ApiSetup = {},
  ): Promise<RunningApi> {
    const base = { env: {}, flags: { set: [`routeApi.listen=${listen}`, "log.level=silent"] } };
    const config = loadConfig({ ...base, text: settings });
    const models = servedModels(config);
    const jsonReader = new JsonReader({});
    const log =
      logLine === undefined ? createLogger({ level: "silent" }) : createLogger({ level: "debug" }, { write: logLine });
    const prompts =
      !isLoading && config.models.some(({ loadOnly }) => !loadOnly) ? promptsOf(config, models, jsonReader) : undefined;
    const core = assembleCore(config, {
      models: models.registry,
      // Of equally good workers the same one is taken in every run.
      random: () => 0,
      jsonReader,
      ...(prompts && { elsewhere: prompts.elsewhere }),
    });
    const follower = new KvFollower(core, config.kvEvents, log);
    const metrics = new Metrics({ models: config.models.map(({ name }) => name), version: "test" });
    await prompts?.loaded;
    const untold = new UntoldPrefill(core.catalogue, config, log);
    const problemsOf = (worker: Worker) => untold.problemsOf(worker);
    const operations = routeOperationsOf(
      { core, follower, problemsOf, isReady: () => true, log, metrics, tracer },
      config,
    );
    const listening = await startRouteApi(operations, config, { metrics, log });
    return new RunningApi(core, metrics, operations, prompts ? [follower, prompts] : [follower], listening);
  }

  get address(): string {
    return this.#listening.addresses[0]?.replace("0.0.0.0", "127.0.0.1") ?? "";
  }

  /** @param body sent as JSON; a text or bytes as they are */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return callAt(this.address, method, path, body, headers);
  }

  async close(): Promise<void> {
    await this.#listening.close(0);
    for (const part of this.#parts) await part.close();
  }
}

/** Threads for the models of a test: they take seconds to start, and to end when they have just been started. */
function promptsOf(config: Config, models: ServedModels, reader: JsonReader): PromptService {
  return new PromptService(config, {
    models,
    reader,
    random: () => 1,
    threads: noEvents,
    shadow: noChecks,
    staleModel: ignore,
  });
}

export async function callAt(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = bodyText(body);
  const typed = sent === undefined ? headers : { "content-type": "application/json", ...headers };
  const lengths = sent === undefined ? {} : { "content-length": String(Buffer.byteLength(sent)) };
  const answer = await send(address, {
    method,
    path,
    headers: { ...typed, ...lengths },
    ...(sent === undefined ? {} : { body: sent }),
  });
  return { ...answer, body: exactJson(answer.text) };
}

function bodyText(body: unknown): string | Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === "string" || Buffer.isBuffer(body) ? body : jsonOf(body);
}

/** JSON with bigints as integers. */
export function jsonOf(value: unknown): string {
  const marked = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `\u0000${member}` : member));
  return marked.replaceAll(/"\\u0000(-?\d+)"/g, "$1");
}

/** A JSON text's value, with integers beyond 2^53 as bigints; the text itself when it is not JSON. */
export function exactJson(text: string): unknown {
  try {
    return JSON.parse(text, exactNumber as (key: string, value: unknown) => unknown);
  } catch {
    return text;
  }
}

function exactNumber(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || context.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}
