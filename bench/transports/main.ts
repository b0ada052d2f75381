/**
 * What the way to the picker costs, at one connection: the same prompt as the client's own text and as token ids, in the process, over a Unix
 * socket and over HTTP. Client and picker share a process, so each figure holds the client's work too.
 * `node_modules/.bin/node bench/transports/main.ts [--rounds 20] [--requests 50]`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import type { HttpAnswer, Operation } from "../../src/http/index.ts";
import { RunningApi } from "../../test/contract/route-api/running-api.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import { postRequest, RawClient } from "../route/raw-client.ts";
import { chatBodies } from "../route/texts.ts";

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
const ways: readonly (readonly [string, Send])[] = [
  ["in the process", inProcess(operation("/route"))],
  ["Unix socket", overConnection(clients[0])],
  ["HTTP", overConnection(clients[1])],
];
try {
  for (const bytes of [8_192, 65_536]) {
    await compare(`${bytes / 1024} KB chat body, growing conversations`, (round) => texts(bytes, round));
    await compare("the same prompts as token ids", (round) => tokens(texts(bytes, round)));
  }
} finally {
  for (const client of clients) client.close();
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
async function compare(what: string, requestsOf: (round: number) => Promise<string[]> | string[]): Promise<void> {
  const taken = new Map<string, number[]>(ways.map(([name]) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [at, [name, send]] of ways.entries()) {
      // Each way has conversations of its own: what one has seen must not help the next.
      for (const json of await requestsOf(round * ways.length + at)) {
        const start = performance.now();
        await send(json);
        if (round >= 0) taken.get(name)?.push(performance.now() - start);
      }
    }
  }
  console.log(`\n${what}`);
  for (const [name, all] of taken) {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (part: number) => (sorted[Math.floor(part * sorted.length)] ?? Number.NaN).toFixed(3);
    console.log(`  ${name.padEnd(16)} p50 ${at(0.5)} ms  p90 ${at(0.9)} ms`);
  }
}
