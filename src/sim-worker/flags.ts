import { noFaults } from "./faults.ts";
import type { SimWorkerOptions } from "./options.ts";
import { scoringFaults } from "./scoring-frames.ts";

/**
 * One command-line flag, in the form that commander's `option(flags, description, parse)` takes. The flag's name in
 * camel case is the option's name, so commander's `opts()` can be given to `startSimWorker` as it is.
 */
export interface SimWorkerFlag {
  readonly flags: string;
  readonly description: string;
  /** Throws RangeError on a value that cannot be read; ranges are checked by `resolveSimWorkerOptions`. */
  readonly parse: (text: string) => string | number | boolean | readonly string[];
}

type OptionName = Exclude<keyof SimWorkerOptions, "tokenize" | "random">;

/** Every option of the simulated worker that can be written on a command line. */
const described: Readonly<
  Record<OptionName, readonly [placeholder: string, parse: SimWorkerFlag["parse"], description: string]>
> = {
  name: ["<text>", text, "sent as x-sim-worker with every answer (default: sim- and the port)"],
  host: ["<address>", text, "address of all sockets (default: 127.0.0.1)"],
  port: ["<n>", number, "HTTP port, 0 = any free one (default: 0)"],
  models: ["<a,b>", list, "model names to list (default: sim-model)"],
  blockSize: ["<tokens>", number, "tokens in a KV block (default: 16)"],
  gpuBlocks: ["<n>", number, "blocks in the KV cache (default: 8192)"],
  hashSeed: ["<text>", text, "seed of the block ids in KV events (default: random)"],
  kvEventsPort: ["<n>", number, "publish KV events on this port, 0 = any free one (default: none)"],
  kvReplayPort: ["<n>", number, "answer replay requests on this port, 0 = any free one (default: none)"],
  kvEventFormat: ["<array|map>", text, "form of the events in a batch (default: array)"],
  kvReplayFraming: ["<with-topic|without-topic>", text, "frames of a replay answer (default: with-topic)"],
  kvReplayBatches: ["<n>", number, "batches held for replay (default: 10000)"],
  dpRank: ["<n>", number, "data-parallel rank named in the events (default: 0)"],
  maxNumSeqs: ["<n>", number, "requests that run at the same time (default: 256)"],
  ttftBaseMs: ["<ms>", number, "time to first token besides the prefill (default: 5)"],
  prefillTimePerTokenUs: ["<us>", number, "prefill time of one token that is not cached (default: 40)"],
  interTokenMs: ["<ms>", number, "time between two output tokens (default: 5)"],
  prefillMode: ["<serial|parallel>", text, "one prefill at a time, or each as if alone (default: serial)"],
  loadFactor: ["<x>", number, "how much longer everything takes when full (default: 1)"],
  timeScale: ["<x>", number, "multiplies all engine times, 0 = no waiting (default: 1)"],
  defaultOutputTokens: ["<n>", number, "output tokens when the request sets no limit (default: 16)"],
  maxOutputTokens: ["<n>", number, "most output tokens of a sequence (default: 4096)"],
  pairRole: [
    "<role>",
    text,
    "part in split requests: none, sglang-prefill, sglang-decode, nixl-prefill, nixl-decode (default: none)",
  ],
  pairIgnoredOn: ["<a,b>", list, "APIs whose handover fields it drops (default: none)"],
  recordedRequests: ["<n>", number, "requests that /sim/requests remembers (default: 256)"],
  recordedBodyBytes: ["<n>", number, "leading bytes of each body that a record keeps (default: 4096)"],
  maxBodyBytes: ["<n>", number, "longer bodies are refused with 413 (default: 268435456)"],
  failRate: ["<share>", number, "share of requests that fail (default: 0)"],
  failStatus: ["<status>", number, `status of a failed request (default: ${noFaults.failStatus})`],
  delayMs: ["<ms>", number, "extra wait before a request is looked at (default: 0)"],
  resetRate: ["<share>", number, "share of answers cut by a connection reset (default: 0)"],
  eventLossRate: ["<share>", number, "share of KV event batches not sent live (default: 0)"],
  scoringFault: ["<fault>", text, `what is wrong with scores: ${scoringFaults.join(", ")} (default: none)`],
  isHealthy: ["<true|false>", boolean, "false makes /health answer 503 (default: true)"],
};

/** The flags, in the order in which help should list them. */
export const simWorkerFlags: readonly SimWorkerFlag[] = Object.entries(described).map(
  ([name, [placeholder, parse, description]]) => ({ flags: `--${kebab(name)} ${placeholder}`, description, parse }),
);

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function text(value: string): string {
  return value;
}

function number(value: string): number {
  const parsed = Number(value);
  if (value.trim() === "" || Number.isNaN(parsed)) throw new RangeError(`${JSON.stringify(value)} is not a number`);
  return parsed;
}

function boolean(value: string): boolean {
  if (value !== "true" && value !== "false") throw new RangeError(`${JSON.stringify(value)} is not true or false`);
  return value === "true";
}

function list(value: string): readonly string[] {
  return value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
