import { setTimeout } from "node:timers/promises";
import { assembleCore } from "../../src/commands/assemble.ts";
import { PromptService } from "../../src/commands/prompt-service.ts";
import { servedModels } from "../../src/commands/served-models.ts";
import { loadConfig } from "../../src/config/index.ts";
import { JsonReader } from "../../src/json/index.ts";
import type { RouteRequest, Router } from "../../src/router/index.ts";
import { watchTurns } from "../turns.ts";
import { realText } from "./texts.ts";

/** What one request costs the main thread, the prompt threads apart. */
interface Blocking {
  readonly input: string;
  readonly bodyBytes: number;
  readonly tokens: number | undefined;
  /** Why it was placed by load; undefined when its tokens were known. */
  readonly reason: string | undefined;
  /** All that the main thread does for it, ms of CPU, mean. */
  readonly mainCpuMs: number;
  /** Longest turn of the event loop, ms by the clock, of each round: what else the machine does makes some of them longer. */
  readonly longestTurnsMs: readonly number[];
  /** From the request to its pick, ms, median. */
  readonly pickMs: number;
}

const text = realText();
const times = <T>(count: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => item(i));
const user = (content: unknown) => ({ role: "user", content });
const slice = (round: number, units: number) => text.slice(round * 10_000, round * 10_000 + units);
const letters = "abcdefghijklmnopqrstuvwxyz";

/** Members of a tool's parameters, of about `bytes` in all. */
function properties(bytes: number, seed: number): object {
  return Object.fromEntries(times(bytes / 45, (i) => [`name${seed}_${i}`, { type: "string", enum: ["a", "b"] }]));
}

/** Bodies of about `bytes`, another one each round. */
const inputs: Readonly<Record<string, (bytes: number, round: number) => readonly [path: string, body: object]>> = {
  "one message": (bytes, round) => ["/v1/chat/completions", { messages: [user(slice(round, bytes * 0.5).repeat(2))] }],
  "many messages": (bytes, round) => [
    "/v1/chat/completions",
    { messages: times(bytes / 60, (i) => user(`message ${round} number ${i}`)) },
  ],
  "many parts": (bytes, round) => [
    "/v1/chat/completions",
    { messages: [user(times(bytes / 40, (i) => ({ type: "text", text: `part ${round} ${i}` })))] },
  ],
  "many tools": (bytes, round) => [
    "/v1/chat/completions",
    {
      messages: [user("hi")],
      tools: times(1500, (i) => ({
        type: "function",
        function: { name: `f${round}_${i}`, parameters: { type: "object", properties: properties(bytes / 1500, i) } },
      })),
    },
  ],
  "one word of one letter": (bytes) => ["/v1/chat/completions", { messages: [user("a".repeat(bytes))] }],
  "one word of all letters": (bytes, round) => [
    "/v1/chat/completions",
    { messages: [user(times(bytes, (i) => letters[(i * i + round) % 26]).join(""))] },
  ],
  Chinese: (bytes, round) => [
    "/v1/chat/completions",
    { messages: [user(times(bytes / 3, (i) => String.fromCharCode(0x4e00 + ((i * 7919 + round) % 20_000))).join(""))] },
  ],
  "combining marks": (bytes) => ["/v1/chat/completions", { messages: [user(`a${"\u0301\u0323".repeat(bytes / 4)}`)] }],
  completion: (bytes, round) => ["/v1/completions", { prompt: slice(round, bytes * 0.5).repeat(2) }],
  "token ids": (bytes, round) => [
    "/v1/completions",
    { prompt: times(bytes / 7, (i) => 100_000 + ((i * 31 + round) % 40_000)) },
  ],
  Responses: (bytes, round) => [
    "/v1/responses",
    { input: times(bytes / 1000, (i) => user(slice((round * 7 + i) % 200, 900))) },
  ],
  Messages: (bytes, round) => [
    "/v1/messages",
    { max_tokens: 10, messages: times(bytes / 1000, (i) => user(slice((round * 5 + i) % 200, 900))) },
  ],
};

/** Prints a line for each input. */
export async function printBlocking(folder: string, bytes: number, rounds: number): Promise<void> {
  for await (const { input, bodyBytes, tokens, reason, ...ms } of measureBlocking(folder, bytes, rounds)) {
    console.log(
      `  ${input}: ${(bodyBytes / 1e6).toFixed(1)} MB, ${reason ?? `${tokens} tokens`}: main thread ${ms.mainCpuMs.toFixed(1)} ms of CPU, ` +
        `longest turn ${rangeOf(ms.longestTurnsMs)}, picked after ${ms.pickMs.toFixed(0)} ms`,
    );
  }
}

/** Measures each input on a picker of eight workers. @param bytes size of the bodies */
async function* measureBlocking(folder: string, bytes: number, rounds: number): AsyncGenerator<Blocking> {
  const config = loadConfig({
    env: {},
    text: JSON.stringify({
      models: [{ name: "m", folder, profile: "dynamo" }],
      workers: times(8, (i) => ({ name: `w${i}`, endpoint: `127.0.0.1:${8101 + i}` })),
      // What is learnt of a prompt is learnt in slices, after the pick.
      approximateIndex: { ttlMs: 0 },
      tokenizer: { shadowCheckEvery: 0, threads: { deadlineMs: 60_000 } },
    }),
  });
  const models = servedModels(config);
  const jsonReader = new JsonReader();
  const ignore = () => undefined;
  const prompts = new PromptService(config, {
    models,
    reader: jsonReader,
    random: Math.random,
    threads: { prepared: ignore, failed: ignore, faulty: ignore, ended: ignore },
    shadow: { same: ignore, different: ignore, skipped: ignore },
    staleModel: ignore,
  });
  const { elsewhere } = prompts;
  const { router } = assembleCore(config, { models: models.registry, random: Math.random, jsonReader, elsewhere });
  try {
    await prompts.loaded;
    for (const [input, make] of Object.entries(inputs))
      yield await measure(input, (round) => make(bytes, round), router, rounds);
  } finally {
    await prompts.close();
  }
}

async function measure(
  input: string,
  make: (round: number) => readonly [path: string, body: object],
  router: Router,
  rounds: number,
): Promise<Blocking> {
  const [longestTurns, cpus, picks]: [number[], number[], number[]] = [[], [], []];
  let last: Pick<Blocking, "bodyBytes" | "tokens" | "reason"> | undefined;
  for (let round = 0; round < 2 * rounds; round++) {
    const [path, body] = make(round);
    const request = requestOf(path, Buffer.from(JSON.stringify({ model: "m", ...body })));
    await setTimeout(20);
    // The watch costs CPU itself: every other round goes without it.
    const turns = round % 2 === 0 ? watchTurns() : undefined;
    const cpu = process.threadCpuUsage();
    const from = performance.now();
    const decision = await router.route(request, new AbortController().signal);
    picks.push(performance.now() - from);
    await setTimeout(20); // a thread's CPU time is brought up to date when it rests
    const { user, system } = process.threadCpuUsage(cpu);
    if (turns === undefined) cpus.push((user + system) / 1e3);
    else longestTurns.push(turns.end().wallUs.max / 1_000);
    decision.reservation.release();
    last = { bodyBytes: request.body.length, tokens: decision.inputTokens, reason: decision.explain().loadOnlyReason };
  }
  if (last === undefined) throw new RangeError("at least one round is needed");
  const mainCpuMs = cpus.reduce((sum, ms) => sum + ms, 0) / cpus.length;
  return { input, ...last, mainCpuMs, longestTurnsMs: longestTurns, pickMs: median(picks) };
}

/** Of the calmest round, the median and the worst. */
function rangeOf(numbers: readonly number[]): string {
  const [least, middle, most] = [Math.min(...numbers), median(numbers), Math.max(...numbers)].map((ms) =>
    ms.toFixed(1),
  );
  return `${middle} ms (${least} to ${most})`;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

function requestOf(path: string, body: Buffer): RouteRequest {
  return {
    path,
    headers: { get: () => undefined, getAll: () => [] },
    body,
    subset: undefined,
    requestedEndpoints: undefined,
    trustClient: false,
  };
}

if (import.meta.main) {
  const [folder = ".cache/models/qwen3", bytes = "3950000", rounds = "5"] = process.argv.slice(2);
  await printBlocking(folder, Number(bytes), Number(rounds));
}
