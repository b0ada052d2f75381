import assert from "node:assert/strict";
import fc, { type Arbitrary } from "fast-check";
import { ConfigError, loadConfig, renderConfig } from "../../../src/config/index.ts";
import { parseEngineFigures } from "../../../src/fleet/engine-metrics/parse-figures.ts";
import { jsonLines } from "../../../src/fleet/kubernetes/json-lines.ts";
import { KubeApiError } from "../../../src/fleet/kubernetes/kube-api.ts";
import { type Pod, readPod } from "../../../src/fleet/kubernetes/pod.ts";
import { readPool } from "../../../src/fleet/kubernetes/pool.ts";
import { parseResult } from "../../../src/queue/result-message.ts";
import { parseTraceRequest, TraceError, traceText } from "../../../src/replay/index.ts";
import { isJson } from "../../support/is-json.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { piecesOf } from "./pieces-of.ts";
import { plainFigures } from "./texts/plain-figures.ts";

type Kind = "config" | "trace" | "result" | "figures" | "watch";

interface TextCase {
  readonly kind: Kind;
  readonly text: string;
  readonly cuts: readonly number[];
}

/** Texts that files, Redis, engines' metrics pages and the Kubernetes API give. */
export const outsideTexts: FuzzTarget = {
  name: "texts",
  claim: "files, results, pages and watches are read as what they say, or refused in words that name the place",
  cases: 500,
  async open() {
    return fuzzing<TextCase>({ cases: textCase, check });
  },
};

const configs = [
  "models: [{ name: m, loadOnly: true, profile: vllm, aliases: [a] }]\nworkers: [{ name: w, endpoint: '10.0.0.1:8000' }]\n",
  "mode: proxy\nproxy: { listen: '127.0.0.1:0', maxBodyBytes: 1024 }\nmodels: [{ name: m, loadOnly: true }]\nworkers: []\n",
  "routing: { maxFallbacks: 2, tieBreak: random }\nlog: { level: debug }\nextProc:\n  listen: 127.0.0.1:9002\n  bodyDeadlineMs: 5\n",
  "workers:\n  - name: a\n    endpoint: '[::1]:80'\n    kvEvents: tcp://10.0.0.1:5557\n    labels: { zone: a }\n    role: decode\n",
  "a: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d, *d, *d]\n",
];
const traces = [
  '{"timestamp": 5, "input_length": 100, "output_length": 7, "hash_ids": [1, 2, 3]}',
  '{"timestamp": 0.5, "input_length": 0, "output_length": 0, "hash_ids": [], "more": {"x": [1]}}',
];
const results = [
  '{"id":"r1","payload":"{\\"ok\\":true}","status_code":200,"request_token":"t"}',
  '{"id":"r1","payload":"","error_code":"GATE_DROPPED","error_message":"no"}',
];
const figures = [
  'vllm:num_requests_running{engine="0",model_name="m"} 3.0\nvllm:kv_cache_usage_perc{engine="1"} 0.5\n',
  'vllm:cache_config_info{block_size="16",num_gpu_blocks="100"} 1\nsglang:num_running_reqs{dp_rank="2",tp_rank="0"} 1e3\n',
  'sglang:num_running_reqs{dp_rank="0",tp_rank="1",pp_rank="0"} 4\nsglang:num_running_reqs{dp_rank="0",tp_rank="0",pp_rank="1"} 5\n',
];
const watches = [
  '{"type":"ADDED","object":{"metadata":{"name":"p","uid":"u","labels":{"a":"b"}},"status":{"podIP":"10.0.0.1","conditions":[{"type":"Ready","status":"True"}]},"spec":{"containers":[{"ports":[{"containerPort":80,"name":"h"}]}]}}}\n',
  '{"type":"ADDED","object":{"metadata":{"name":"p","uid":"u"},"spec":{"containers":[{"ports":[{"containerPort":0},{"containerPort":65536},{"containerPort":65535}]}]}}}\n',
  '{"type":"MODIFIED","object":{"metadata":{"name":"i"},"spec":{"selector":{"matchLabels":{"a":"b"}},"targetPorts":[{"number":80}]}}}\n',
  '5\n\n"x"\n{}\n',
];
const corpora: Readonly<Record<Kind, readonly string[]>> = {
  config: configs,
  trace: traces,
  result: results,
  figures,
  watch: watches,
};

const edit = fc.record({
  at: fc.nat({ max: 1_000 }),
  remove: fc.constantFrom(0, 0, 1, 2, 10),
  put: fc.constantFrom(
    ...[
      "",
      "x",
      "5",
      "-1",
      "1e999",
      "9007199254740993",
      "null",
      "true",
      "[]",
      "{}",
      '"',
      "'",
      ":",
      ",",
      "\n",
      "\t",
      "  - ",
      "&a ",
      "*a",
    ],
    ...[
      "!!js ",
      "? ",
      "|\n",
      "%",
      "é",
      "\u2028",
      "{",
      "}",
      "[",
      "]",
      "#",
      '{"__proto__":1}',
      "__proto__",
      "constructor: 1\n",
      "NaN",
      "+Inf",
    ],
  ),
});

const textCase: Arbitrary<TextCase> = fc
  .constantFrom<Kind[]>("config", "trace", "result", "figures", "watch")
  .chain((kind) =>
    fc
      .record({
        source: fc.constantFrom(...corpora[kind]),
        more: fc.option(fc.constantFrom(...corpora[kind]), { freq: 2 }),
        edits: fc.array(edit, { maxLength: 4 }),
        cuts: fc.array(fc.nat({ max: 500 }), { maxLength: 5 }),
      })
      .map(({ source, more, edits, cuts }) => {
        let text = `${source}${more ?? ""}`;
        for (const { at, remove, put } of edits) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + remove);
        }
        return { kind, text, cuts };
      }),
  );

async function check({ kind, text, cuts }: TextCase): Promise<void> {
  if (kind === "config") checkConfig(text);
  else if (kind === "trace") checkTrace(text);
  else if (kind === "result") checkResult(text);
  else if (kind === "figures") checkFigures(text);
  else await checkWatch(text, cuts);
}

/** A setting's path, as `workers[0].endpoint`, or the file as a whole. */
const problem = /^[^\n]*?\S: ./;

function checkConfig(text: string): void {
  const load = (yaml: string) => loadConfig({ env: {}, text: yaml });
  let config: ReturnType<typeof load>;
  try {
    config = load(text);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.ok(error.problems.length > 0);
    for (const each of error.problems) assert.match(each, problem);
    return;
  }
  assert.deepEqual(load(renderConfig(config)), config, "printed and read again");
}

function checkTrace(text: string): void {
  try {
    const request = parseTraceRequest(text, 3);
    assert.deepEqual(parseTraceRequest(traceText(request), 1), request);
    const json = JSON.parse(text) as Record<string, unknown>;
    const { timestampMs, inputTokens, outputTokens, blockIds } = request;
    assert.deepEqual([timestampMs, inputTokens], [json["timestamp"], json["input_length"]]);
    assert.deepEqual([outputTokens, blockIds], [json["output_length"], json["hash_ids"]]);
  } catch (error) {
    assert.ok(error instanceof TraceError, String(error));
    assert.match(error.message, /^line 3: /);
  }
}

function checkResult(text: string): void {
  const result = parseResult(text);
  const json = isJson(text) ? (JSON.parse(text) as Record<string, unknown> | null) : undefined;
  const id = typeof json === "object" && json !== null ? json["id"] : undefined;
  assert.equal(result?.id, typeof id === "string" && id !== "" ? id : undefined);
  if (result === undefined) return;
  assert.ok(result.statusCode === undefined || Number.isInteger(result.statusCode));
  assert.equal(typeof result.payload, "string");
  const says = result.statusCode ?? result.errorCode ?? result.payload;
  assert.notEqual(says, undefined);
  if (result.errorCode === "UNREADABLE_RESULT") return;
  const textIn = (name: string) => (typeof json?.[name] === "string" ? json[name] : "");
  const { statusCode = 0, payload, errorCode = "", errorMessage = "", requestToken = "" } = result;
  assert.deepEqual([statusCode, payload], [json?.["status_code"] ?? 0, textIn("payload")]);
  assert.deepEqual([errorCode, errorMessage], [textIn("error_code"), textIn("error_message")]);
  assert.equal(requestToken, textIn("request_token"));
}

function checkFigures(text: string): void {
  const found = parseEngineFigures(text);
  const plain = plainFigures(text);
  if (plain !== undefined) {
    assert.deepEqual([...found.keys()], [...plain.keys()]);
    for (const [rank, each] of plain) assert.partialDeepStrictEqual(found.get(rank), each);
  }
  for (const [rank, each] of found) {
    assert.ok(Number.isInteger(rank) && rank >= 0 && rank < 1_024);
    for (const value of Object.values(each)) assert.ok(value === undefined || (Number.isFinite(value) && value >= 0));
    assert.ok((each.kvUsage ?? 0) <= 1);
  }
}

async function checkWatch(text: string, cuts: readonly number[]): Promise<void> {
  const bytes = Buffer.from(text);
  for (const most of [shortLineBytes, maxLineBytes]) {
    const all = await readWatch([bytes], most);
    assert.deepEqual(await readWatch(piecesOf(bytes, cuts), most), all, "however it is cut");
  }
  const whole = await readWatch([bytes], maxLineBytes);
  const lines = text.split("\n").filter((line) => line !== "");
  if (whole.error === "") {
    assert.deepEqual(
      whole.values,
      lines.map((line) => JSON.parse(line)),
    );
  }
  for (const value of whole.values) {
    const { object } = (typeof value === "object" && value !== null ? value : {}) as { readonly object?: unknown };
    const pod = readPod(object);
    if (pod !== undefined) checkPod(pod, object as PodJson);
    const pool = readPool(object);
    if (typeof pool === "object" && "selector" in pool)
      assert.ok(pool.selector.size > 0 && pool.targetPorts.length > 0);
  }
}

interface PodJson {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels?: unknown };
}

function checkPod(pod: Pod, { metadata }: PodJson): void {
  for (const { number } of pod.ports) assert.ok(number >= 1 && number <= 65_535);
  assert.deepEqual([pod.name, pod.uid], [metadata.name, metadata.uid]);
  const texts = Object.entries(metadata.labels ?? {}).filter(([, value]) => typeof value === "string");
  if (typeof metadata.labels !== "string") assert.deepEqual([...pod.labels], texts);
}

/** Longest event of a watch, bytes; and a bound that real ones pass. */
const maxLineBytes = 2_000;
const shortLineBytes = 150;

async function readWatch(
  chunks: readonly Buffer[],
  most: number,
): Promise<{ readonly values: unknown[]; readonly error: string }> {
  const values: unknown[] = [];
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  try {
    for await (const value of jsonLines(stream(), most)) values.push(value);
    return { values, error: "" };
  } catch (error) {
    assert.ok(error instanceof KubeApiError, String(error));
    return { values, error: error.message };
  }
}
