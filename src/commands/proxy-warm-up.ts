import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config/index.ts";
import { WorkerPools } from "../dispatch/index.ts";
import { staticWorkers } from "../fleet/index.ts";
import { systemClock } from "../http/index.ts";
import { JsonReader } from "../json/index.ts";
import { blocksWithin, GuessedBlocks, PrefixIndex } from "../kv/index.ts";
import { ModelRegistry, type ServedModel } from "../router/index.ts";
import { createLogger, type Logger, Metrics } from "../telemetry/index.ts";
import { assembleCore } from "./assemble.ts";
import { modesOf } from "./modes.ts";
import { startProxy } from "./proxy.ts";

/** Room for the index of the requests that warm up, in bytes. */
const indexBytes = 4_194_304;
/** Requests that are under way at one time. */
const lanes = 2;
const workers = 2;
const paths = ["/v1/chat/completions", "/v1/chat/completions", "/v1/messages", "/v1/completions", "/v1/responses"];

/**
 * Sends requests of its own through a second proxy to workers in this process, so that the code that serves a request is compiled before
 * a client has to wait for that: it takes thousands of them. The second proxy has books of its own; the models are the real ones.
 * Never rejects: a process that starts slowly serves all the same.
 * @returns how many were answered
 */
export async function warmUpProxy(config: Config, models: ModelRegistry, log: Pick<Logger, "warn">): Promise<number> {
  const { warmUpMs } = config.proxy;
  if (warmUpMs === 0 || !modesOf(config).includes("proxy")) return 0;
  const open: { close(): Promise<void> }[] = [];
  try {
    const endpoints: string[] = [];
    for (let i = 0; i < workers; i++) endpoints.push(await openWorker(open));
    const address = await openProxy(config, models, endpoints, open);
    return await sendFor(warmUpMs, address, models);
  } catch (err) {
    log.warn({ err }, "the proxy is not warmed up");
    return 0;
  } finally {
    for (const each of open.reverse()) await each.close();
  }
}

/** A worker that answers at once. @returns its endpoint */
async function openWorker(open: { close(): Promise<void> }[]): Promise<string> {
  const server = createServer({ noDelay: true }, (request, response) => {
    let isStream = false;
    request.on("data", (chunk: Buffer) => {
      isStream ||= chunk.includes('"stream":true');
    });
    request.on("end", () => {
      if (isStream) response.writeHead(200, { "content-type": "text/event-stream" }).end(events);
      else response.writeHead(200, { "content-type": "application/json", "content-length": answer.length }).end(answer);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  open.push({
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const usage = '"usage":{"prompt_tokens":100,"completion_tokens":8,"total_tokens":108}';
const answer = `{"id":"warm-up","choices":[{"index":0,"message":{"role":"assistant","content":"word word"}}],${usage}}`;
const event = 'data: {"id":"warm-up","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n';
const events = `${event.repeat(8)}data: {"id":"warm-up","choices":[],${usage}}\n\ndata: [DONE]\n\n`;

async function openProxy(
  config: Config,
  models: ModelRegistry,
  endpoints: readonly string[],
  open: { close(): Promise<void> }[],
): Promise<string> {
  const own = withoutClients(config);
  const registry = new ModelRegistry(models.values().map(withOwnIndex));
  const core = assembleCore(own, { models: registry, random: Math.random, jsonReader: new JsonReader({}) });
  const names = models.values().map(({ name }) => name);
  core.catalogue.replaceAll(
    staticWorkers(endpoints.map((endpoint, at) => ({ name: `warm-up-${at}`, endpoint, models: names }))),
  );
  const log = createLogger({ level: "silent" });
  const proxy = await startProxy({
    core,
    config: own,
    log,
    metrics: new Metrics({ models: names, version: "" }),
    prober: undefined,
    watchers: [],
  });
  open.push(proxy);
  proxy.server.setReady(true);
  return proxy.server.address;
}

/** The settings for a proxy that only this process calls, before workers that only it knows. */
function withoutClients(config: Config): Config {
  const {
    apiKeyFile: _file,
    apiKeyHashes: _hashes,
    workerApiKeyFile: _key,
    workerApiKey: _text,
    ...proxy
  } = config.proxy;
  return {
    ...config,
    workers: [],
    decisionsApi: { ...config.decisionsApi, enabled: false },
    fleet: { ...config.fleet, workerTls: { enabled: false, verify: true } },
    proxy: { ...proxy, listen: "127.0.0.1:0", tls: { mode: "off", reloadIntervalMs: 0 }, apiKeys: [] },
  };
}

function withOwnIndex(model: ServedModel): ServedModel {
  const { blockSize } = model.index;
  const maxBlocks = blocksWithin(indexBytes);
  return { ...model, index: new PrefixIndex({ blockSize, maxBlocks, guesses: new GuessedBlocks({ maxBlocks }) }) };
}

async function sendFor(durationMs: number, address: string, models: ModelRegistry): Promise<number> {
  const client = new WorkerPools(clientOptions, systemClock, () => undefined);
  const names = models.values().map(({ name }) => name);
  const deadline = performance.now() + durationMs;
  let sent = 0;
  let answered = 0;
  const lane = async () => {
    while (performance.now() < deadline) {
      const at = sent++;
      const body = Buffer.from(JSON.stringify(requestOf(names[at % names.length] ?? "", at)));
      if ((await statusOf(client, address, paths[at % paths.length] as string, body)) === 200) answered++;
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
    return answered;
  } finally {
    await client.close();
  }
}

const clientOptions = {
  tlsOf: () => undefined,
  maxConnections: lanes,
  connectTimeoutMs: 1_000,
  connectionWaitTimeoutMs: 1_000,
  headTimeoutMs: 1_000,
  stallTimeoutMs: 1_000,
  keepAliveMs: 1_000,
  maxHeaderBytes: 16_384,
};

/** Sends one request and reads its whole answer; 0 = there was none. */
function statusOf(client: WorkerPools, endpoint: string, path: string, body: Buffer): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    client.send(
      { endpoint, method: "POST", path, headers: ["content-type", "application/json"], body },
      {
        head: (code) => {
          status = code;
        },
        data: () => undefined,
        end: () => resolve(status),
        failed: () => resolve(0),
      },
    );
  });
}

/** A request that begins as some others do and ends as none: 1 to 8 KB in a few turns. Fits all of the APIs. */
function requestOf(model: string, at: number): object {
  const system = textOf(at % 16, 600 * (1 + (at % 8)));
  const own = textOf(1_000 + at, 40 + 10 * (at % 16));
  const messages = [
    { role: "user", content: system },
    { role: "assistant", content: "I see." },
    { role: "user", content: own },
  ];
  const prompt = `${system}\n${own}`;
  return { model, messages, prompt, input: prompt, max_tokens: 16, ...(at % 2 === 0 ? { stream: true } : {}) };
}

const syllables = [
  "ta",
  "ri",
  "mon",
  "el",
  "sha",
  "po",
  "ven",
  "ku",
  "ist",
  "ora",
  "de",
  "lim",
  "fa",
  "gro",
  "wen",
  "ny",
];

/** Text that looks like words. @param seed other text for another number */
function textOf(seed: number, letters: number): string {
  let text = "";
  let state = (seed * 2_654_435_761) >>> 0;
  while (text.length < letters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += syllables[state >>> 28] as string;
    if ((state & 0x30_0000) === 0) text += (state & 0x40_0000) === 0 ? " " : ", ";
  }
  return text;
}
