import { writeFile } from "node:fs/promises";
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { type Config, ConfigError, loadConfig } from "../config/index.ts";
import {
  barsOf,
  curvesOf,
  type EngineFigures,
  engineFigures,
  FleetSimulation,
  type Policy,
  type PolicyResult,
  parseTraceRequest,
  plainPolicies,
  type SimulatedOutcome,
  summarize,
  Trace,
  TraceError,
  type TraceRequest,
  tableOf,
} from "../replay/index.ts";
import { lines } from "./lines.ts";
import { pickOptionsOf } from "./pick-options.ts";
import type { ProgressBar } from "./progress-bar.ts";

/** What is simulated, and how it is told. */
export interface ReplayOptions {
  readonly workers: number;
  /** Tokens in a block of the trace; undefined = as the recorder of the settings makes them. */
  readonly blockSize: number | undefined;
  readonly speed: number;
  /** Requests that are read at most. */
  readonly limit: number;
  readonly seed: number;
  /** Tokens that a worker's cache holds. */
  readonly cacheTokens: number;
  readonly prefillUsPerToken: number;
  readonly stepMs: number;
  readonly maxRunning: number;
  /** How long what was sent to a worker is believed to be there, ms, where workers publish no KV events; undefined = they do. */
  readonly guessMs: number | undefined;
  /** Further policies, each `NAME=routing.KEY=VALUE,...`. */
  readonly policy: readonly string[];
  /** Where a drawing of the waiting times goes; undefined = none is made. */
  readonly svg: string | undefined;
  /** One JSON object a line instead of a table. */
  readonly json: boolean;
}

/** Most workers of a fleet: some 60 KB each. */
const maxWorkers = 16_384;
/** Paces at which the times of any trace can still be told apart. */
const maxSpeed = 1_000_000;

/** Options with the block size that counts. */
type PlayOptions = ReplayOptions & { readonly blockSize: number };

/** Where a trace is read from. */
export interface TraceInput {
  /** For messages. */
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
  /** Undefined = not known before its end. */
  readonly sizeBytes: number | undefined;
}

interface PlayedPolicy extends PolicyResult {
  readonly outcome: SimulatedOutcome;
}

/**
 * Plays a trace on a simulated fleet once for each policy, and writes what came of it.
 * @param config whose settings `routing` are the policy "configured"
 * @throws TraceError for a line that is no request; ConfigError for a policy, a setting or a trace that cannot be used
 */
export async function replay(
  input: TraceInput,
  config: Config,
  given: ReplayOptions,
  output: Writable,
  progress: ProgressBar,
): Promise<void> {
  const options: PlayOptions = { ...given, blockSize: given.blockSize ?? config.recorder.blockTokens };
  checkRange(options);
  const policies = [...plainPolicies, policyOf("configured", config), ...options.policy.map(givenPolicy)];
  checkNames(policies);
  const results: PlayedPolicy[] = [];
  let trace: Trace;
  try {
    trace = await readTrace(input, options, progress);
    for (const [at, policy] of policies.entries()) {
      const show = (part: number) => progress.show(`${policy.name}, ${at + 1} of ${policies.length}`, part);
      results.push(await play(policy, trace, options, show));
    }
  } finally {
    progress.clear();
  }
  if (options.json)
    for (const { name, summary } of results) output.write(`${JSON.stringify({ policy: name, ...summary })}\n`);
  else output.write(reportOf(results, trace, options));
  if (options.svg === undefined) return;
  const curves = results.map(({ name, outcome }) => ({ name, values: outcome.ttftMs }));
  await writeFile(options.svg, curvesOf("Time to the first token: part of the requests", curves));
}

/** @throws ConfigError */
function checkRange({ workers, speed }: ReplayOptions): void {
  if (workers > maxWorkers) throw new ConfigError([`--workers ${workers}: expected at most ${maxWorkers}`]);
  if (speed > maxSpeed || speed < 1 / maxSpeed)
    throw new ConfigError([`--speed ${speed}: expected a factor from ${1 / maxSpeed} to ${maxSpeed}`]);
}

/** Two results of one name could not be told apart. @throws ConfigError */
function checkNames(policies: readonly Policy[]): void {
  const names = policies.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new ConfigError([`--policy ${twice}: there is a policy of this name`]);
}

function reportOf(results: readonly PolicyResult[], trace: Trace, { workers, speed, blockSize }: PlayOptions): string {
  const pace = speed === 1 ? "" : ` at ${speed} times their pace`;
  return [
    `${trace.length} requests${pace}, ${workers} workers\n`,
    ...notesOf(trace, blockSize),
    tableOf(results),
    barsOf("hit rate", results, ({ hitRate }) => hitRate),
    barsOf("TTFT p50, ms", results, ({ ttftMs }) => ttftMs.p50),
    barsOf("TTFT p99, ms", results, ({ ttftMs }) => ttftMs.p99),
  ].join("\n");
}

/** What makes the figures other than the trace's reader may think. */
function notesOf(trace: Trace, blockSize: number): string[] {
  const short = trace.shorterThan({ blockSize });
  return [
    ...misfitsOf(trace, blockSize),
    ...(short === 0
      ? []
      : [`${short} of them are shorter than a block of ${blockSize} tokens: nothing of them is cached anywhere\n`]),
  ];
}

/** A few prompts with fewer ids may be so; one with more ids than blocks never is. */
function misfitsOf(trace: Trace, blockSize: number): string[] {
  const { count, of, crowded } = trace.misfits({ blockSize });
  if (crowded === 0 && count <= of / 2) return [];
  const fitting = trace.fittingBlockSize();
  const told = `the hash_ids of ${count} prompts are not one a block of ${blockSize} tokens`;
  if (fitting === undefined) return [`${told}: give the trace's --block-size\n`];
  return [fitting === blockSize ? `${told}; those of most others are\n` : `${told}: give --block-size ${fitting}\n`];
}

/** Requests between two looks at the progress of reading. */
const requestsOfStep = 1_000;

async function readTrace({ name, bytes, sizeBytes }: TraceInput, { limit }: ReplayOptions, progress: ProgressBar) {
  const trace = new Trace();
  let readBytes = 0;
  let line = 0;
  for await (const read of lines(counted(bytes, (count) => (readBytes += count)))) {
    line++;
    const text = line === 1 ? firstLine(read, name) : read;
    if (text.trim() === "") continue;
    if (trace.length === limit) break;
    trace.add(requestIn(name, text, line));
    if (trace.length % requestsOfStep !== 0) continue;
    progress.show(`reading, ${trace.length} requests`, sizeBytes === undefined ? undefined : readBytes / sizeBytes);
    await setImmediate();
  }
  if (trace.length === 0) throw new ConfigError([`${name}: the trace holds no request`]);
  return trace;
}

/** @throws TraceError that names the file, too */
function requestIn(file: string, text: string, line: number): TraceRequest {
  try {
    return parseTraceRequest(text, line);
  } catch (error) {
    throw error instanceof TraceError ? error.in(file) : error;
  }
}

/** How compressed files begin, as UTF-8 reads it. */
const compressions = { gzip: "\u001f\ufffd", zstd: "(\ufffd/\ufffd" };

/** Without a byte order mark. @throws ConfigError for what is no text */
function firstLine(line: string, name: string): string {
  const [compression] = Object.entries(compressions).find(([, start]) => line.startsWith(start)) ?? [];
  if (compression === undefined) return line.startsWith("\ufeff") ? line.slice(1) : line;
  throw new ConfigError([`${name} is compressed: give its text, as from ${compression} -dc, to standard input (-)`]);
}

async function* counted(input: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    count(chunk.length);
    yield chunk;
  }
}

/** Most that happens between two looks at the progress; each takes some microseconds. */
const happeningsOfStep = 1_000;

async function play(
  policy: Policy,
  trace: Trace,
  options: PlayOptions,
  show: (part: number) => void,
): Promise<PlayedPolicy> {
  const { workers, guessMs, seed, blockSize, speed } = options;
  const simulation = new FleetSimulation(policy, { workers, engine: figuresOf(options), guessMs }, seed);
  simulation.addInOrder(trace.play({ blockSize, speed }));
  for (let happened = 1; simulation.runNext(); happened++) {
    if (happened % happeningsOfStep !== 0) continue;
    show(simulation.outcome.totalMs.length / trace.length);
    await setImmediate(); // a signal ends the process between two steps
  }
  return { name: policy.name, outcome: simulation.outcome, summary: summarize(simulation.outcome) };
}

function figuresOf(options: PlayOptions): EngineFigures {
  const { blockSize, cacheTokens, prefillUsPerToken, stepMs, maxRunning } = options;
  return {
    ...engineFigures,
    blockSize,
    stepMs,
    maxRunning,
    msPerPrefillToken: prefillUsPerToken / 1_000,
    cacheBlocks: Math.max(1, Math.floor(cacheTokens / blockSize)),
  };
}

function policyOf(name: string, config: Pick<Config, "routing">): Policy {
  return { name, pick: pickOptionsOf(config) };
}

/** @throws ConfigError */
function givenPolicy(text: string): Policy {
  const [, name, settings] = /^([^=,]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || settings === undefined)
    throw new ConfigError([`--policy ${text}: expected NAME=routing.KEY=VALUE,...`]);
  const set = settings.split(",");
  const foreign = set.find((setting) => !setting.startsWith("routing."));
  if (foreign !== undefined) throw new ConfigError([`--policy ${name}: ${foreign} is no setting of routing`]);
  return policyOf(name, loadConfig({ env: {}, text: "{}", flags: { set } }));
}
