/**
 * The route service beside dynamo.select_service, in one run and interleaved: the same workers, engines and requests.
 * `node_modules/.bin/node bench/route/main.ts [--rounds 12] [--requests 150]` (after `npm run build`).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tokenOf } from "./engines.ts";
import { type Figures, figuresLine, joined, measure, median, type Target } from "./measure.ts";
import { postRequest } from "./raw-client.ts";
import { families, type Servers, startServers, textModel } from "./servers.ts";
import { chatBodies } from "./texts.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "12" }, requests: { type: "string", default: "150" } },
});
const rounds = Number(values.rounds);
const perRound = Number(values.requests);

const folder = await mkdtemp(join(tmpdir(), "pointsman-bench-route-"));
let servers: Servers | undefined;
try {
  servers = await startServers(folder);
  const { ours, oursBySocket, theirs } = servers;
  for (const tokens of [2_048, 16_384]) {
    for (const connections of [1, 8]) {
      console.log(`\n/select, ${tokens} token ids, ${connections} connection${connections === 1 ? "" : "s"}`);
      await compare([ours, oursBySocket, theirs], selections(tokens, "/select"), connections);
    }
  }
  console.log("\n/select_and_reserve with its DELETE, 2048 token ids, 1 connection");
  await compare([ours, theirs], reservations(2_048), 1);
  console.log("\n/route with the client's own chat body (select_service cannot), 1 connection");
  for (const bytes of [8_192, 65_536]) {
    for (const kind of ["growing conversations", "new text"] as const) {
      await alone(ours, `${bytes / 1024} KB, ${kind}`, texts(bytes, kind));
    }
  }
} finally {
  await servers?.stop();
  await rm(folder, { recursive: true });
}

/** Rounds of all targets in turn, so that what else the machine does falls on all alike. */
async function compare(
  targets: readonly Target[],
  requestsOf: (round: number) => Buffer[],
  connections: number,
): Promise<void> {
  const figures = new Map<Target, Figures[]>(targets.map((target) => [target, []]));
  for (let round = -2; round < rounds; round++) {
    for (const target of targets) {
      const figure = await measure(target, requestsOf(round), connections);
      if (round >= 0) figures.get(target)?.push(figure);
    }
  }
  const all = targets.map((target) => ({ target, figure: joined(figures.get(target) ?? []) }));
  for (const { target, figure } of all) console.log(figuresLine(`  ${target.name}`, figure));
  const [first, last] = [all[0], all.at(-1)];
  if (first !== undefined && last !== undefined) {
    console.log(
      `  p50 of ${first.target.name} / ${last.target.name}: ${(median(first.figure) / median(last.figure)).toFixed(2)}`,
    );
  }
}

async function alone(target: Target, name: string, requestsOf: (round: number) => Buffer[]): Promise<void> {
  const figures: Figures[] = [];
  for (let round = -2; round < rounds; round++) {
    const figure = await measure(target, requestsOf(round), 1);
    if (round >= 0) figures.push(figure);
  }
  console.log(figuresLine(`  ${name}`, joined(figures)));
}

function selections(tokens: number, path: string): (round: number) => Buffer[] {
  return (round) =>
    Array.from({ length: perRound }, (_, i) =>
      postRequest(path, JSON.stringify({ ...prompt(tokens, round, i), model_name: textModel })),
    );
}

function reservations(tokens: number): (round: number) => Buffer[] {
  return (round) =>
    Array.from({ length: perRound }, (_, i) => {
      const selection_id = `r${round}-${i}`;
      const body = { ...prompt(tokens, round, i), model_name: textModel, selection_id };
      return [
        postRequest("/select_and_reserve", JSON.stringify(body)),
        Buffer.from(`DELETE /reservations/${selection_id} HTTP/1.1\r\nhost: bench\r\ncontent-length: 0\r\n\r\n`),
      ];
    }).flat();
}

/** A prompt of a family, of which the last quarter is its own. */
function prompt(tokens: number, round: number, i: number): { readonly token_ids: readonly number[] } {
  const family = i % families;
  const shared = tokens - tokens / 4;
  const own = (round * perRound + i) * 31;
  return {
    token_ids: Array.from({ length: tokens }, (_, at) =>
      at < shared ? tokenOf(family, at) : (own + at * 13) % 151_936,
    ),
  };
}

function texts(bytes: number, kind: "growing conversations" | "new text"): (round: number) => Buffer[] {
  return (round) =>
    chatBodies(bytes, kind, Math.ceil(perRound / 3), round).map((body) =>
      postRequest("/route", `{"request":{"path":"/v1/chat/completions","body":${body}}}`),
    );
}
