/**
 * What the way to the picker costs, at one connection: the same prompt as the client's own text and as token ids, in the process, over a Unix
 * socket, over HTTP and, as text, over gRPC (ext_proc, where the body comes back as well). Client and picker share a process, so each figure holds the
 * client's work too. The stages tell apart what a pick does: making tokens and hashes of the text, and looking them up and choosing.
 * `node_modules/.bin/node bench/transports/main.ts [--rounds 20] [--requests 50]`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { ObservedRouter } from "../../src/commands/observed-router.ts";
import type { HttpAnswer, Operation } from "../../src/http/index.ts";
import { startExtProcServer } from "../../src/surface/ext-proc/index.ts";
import { createLogger } from "../../src/telemetry/index.ts";
import { RunningApi } from "../../test/contract/route-api/running-api.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import { postRequest, RawClient } from "../route/raw-client.ts";
import { chatBodies } from "../route/texts.ts";
import { ExtProcClient } from "./ext-proc-client.ts";

type Send = (json: string) => Promise<unknown>;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "20" }, requests: { type: "string", default: "50" } },
});
const rounds = Number(values.rounds);
const perRound = Number(values.requests);
const folder = await mkdtemp(join(tmpdir(), "pointsman-bench-transports-"));
const socket = join(folder, "route.sock");
const settings = {
  mode: "query",
  models: [{ name: "qwen3", folder: testModelFolder(), profile: "vllm" }],
  routeApi: { socket },
  workers: Array.from({ length: 8 }, (_, i) => ({ name: `w${i}`, endpoint: `10.0.0.${i + 1}:8000` })),
  fleet: { healthCheck: { enabled: false } },
};
const api = await RunningApi.start(stringify(settings));
const port = Number(api.address.split(":").at(-1));
const clients = [await RawClient.connect({ path: socket }), await RawClient.connect({ port })] as const;
const quiet = () => undefined;
const silent = { debug: quiet, info: quiet, warn: quiet, error: console.error };
const extProc = await startExtProcServer(
  { host: "127.0.0.1", port: 0, healthPort: "off", tls: { kind: "plaintext" } },
  new ObservedRouter(api.core.router, api.metrics.requests, createLogger({ level: "silent" })),
  api.metrics.requests,
  silent,
);
const envoy = new ExtProcClient(extProc.address);
const ways: readonly (readonly [string, Send])[] = [
  ["in the process", inProcess(operation("/route"))],
  ["Unix socket", overConnection(clients[0])],
  ["HTTP", overConnection(clients[1])],
];
const anyone = {
  headers: { get: () => undefined, getAll: () => [] },
  subset: undefined,
  requestedEndpoints: undefined,
  trustClient: false,
};
const grpc: readonly [string, Send] = ["gRPC, ext_proc", (json) => envoy.place(clientBodyOf(json))];
try {
  for (const bytes of [8_192, 65_536]) {
    await compare(`${bytes / 1024} KB chat body, growing conversations`, [...ways, grpc], (round) =>
      texts(bytes, round),
    );
    await stages(`${bytes / 1024} KB chat body, in the process`, bytes);
    await compare("the same prompts as token ids", ways, (round) => tokens(texts(bytes, round)));
  }
} finally {
  for (const client of clients) client.close();
  envoy.close();
  await extProc.close();
  await api.close();
  await rm(folder, { recursive: true });
}

function operation(path: string): Operation {
  const found = api.operations.find((each) => each.path === path);
  if (found === undefined) throw new Error(`no operation ${path}`);
  return found;
}

function inProcess(route: Operation): (json: string) => Promise<HttpAnswer> {
  const rest = { params: {}, query: new URLSearchParams(), headers: {}, isAuthorized: true, keepBody: () => undefined };
  const { signal } = new AbortController();
  return async (json) => route.handle({ ...rest, signal, body: Buffer.from(json) });
}

function overConnection(client: RawClient): Send {
  return async (json) => {
    const status = await client.send(postRequest("/route", json));
    if (status !== 200) throw new Error(`answered ${status}: ${client.lastBody.slice(0, 200)}`);
  };
}

/** The client's own body within a request to the route API. */
function clientBodyOf(json: string): string {
  return json.slice(json.indexOf('"body":') + '"body":'.length, -2);
}

function texts(bytes: number, round: number): string[] {
  const bodies = chatBodies(bytes, "growing conversations", perRound, round);
  return bodies.map((body) => `{"request":{"path":"/v1/chat/completions","body":${body}}}`);
}

async function tokens(requests: readonly string[]): Promise<string[]> {
  const asked: string[] = [];
  const ask = inProcess(operation("/route"));
  for (const request of requests) {
    const answer = await ask(`{"return_token_ids":true,${request.slice(1)}`);
    const { token_ids } = JSON.parse(String(answer.body)) as { token_ids: number[] };
    asked.push(JSON.stringify({ model_name: "qwen3", token_ids }));
  }
  return asked;
}

/** Rounds of all ways in turn, so that what else the machine does falls on all alike; the first two do not count. */
async function compare(
  what: string,
  compared: readonly (readonly [string, Send])[],
  requestsOf: (round: number) => Promise<string[]> | string[],
): Promise<void> {
  const taken = new Map<string, number[]>(compared.map(([name]) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [at, [name, send]] of compared.entries()) {
      // Each way has conversations of its own: what one has seen must not help the next.
      for (const json of await requestsOf(round * compared.length + at)) {
        const start = performance.now();
        await send(json);
        if (round >= 0) taken.get(name)?.push(performance.now() - start);
      }
    }
  }
  report(what, taken);
}

/** The parts of a pick, without any way to it. */
async function stages(what: string, bytes: number): Promise<void> {
  const { router } = api.core;
  const [tokenizing, choosing]: [number[], number[]] = [[], []];
  for (let round = -2; round < rounds; round++) {
    // Conversations that no way has asked for.
    for (const json of texts(bytes, 1_000_000 + round)) {
      const body = Buffer.from(clientBodyOf(json));
      const start = performance.now();
      const prepared = await router.prepare({ ...anyone, path: "/v1/chat/completions", body });
      const between = performance.now();
      router.select(prepared, anyone);
      const end = performance.now();
      if (round < 0) continue;
      tokenizing.push(between - start);
      choosing.push(end - between);
    }
  }
  report(
    what,
    new Map([
      ["text to hashes", tokenizing],
      ["look-up, choice", choosing],
    ]),
  );
}

function report(what: string, taken: ReadonlyMap<string, readonly number[]>): void {
  console.log(`\n${what}`);
  for (const [name, all] of taken) {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (part: number) => (sorted[Math.floor(part * sorted.length)] ?? Number.NaN).toFixed(3);
    console.log(`  ${name.padEnd(16)} p50 ${at(0.5)} ms  p90 ${at(0.9)} ms`);
  }
}
