// Token ids of growing conversations and of unseen text, against npm `tokenizers` and `@huggingface/tokenizers` in the same run; ratios are what counts.
import { tokenizerNames } from "../../scripts/tokenizers.ts";
import { type Engines, ids, loadEngines, officialIds, scriptIds } from "./engines.ts";
import { footprints } from "./footprint.ts";
import { conversation, type MessageFrame, realText, slices } from "./texts.ts";

const chatMl: MessageFrame = { before: (role) => `<|im_start|>${role}\n`, after: "<|im_end|>\n" };
const frames: Readonly<Record<string, MessageFrame>> = {
  qwen3: chatMl,
  llama3_1: { before: (role) => `<|start_header_id|>${role}<|end_header_id|>\n\n`, after: "<|eot_id|>" },
  gptoss: { before: (role) => `<|start|>${role}<|message|>`, after: "<|end|>" },
  deepseek_v3: {
    before: (role) => (role === "user" ? "<｜User｜>" : "<｜Assistant｜>"),
    after: "<｜end▁of▁sentence｜>",
  },
  gemma3: { before: (role) => `<start_of_turn>${role}\n`, after: "<end_of_turn>\n" },
  llama2: { before: (role) => (role === "user" ? "<s>[INST] " : " [/INST] "), after: "</s>" },
};
const rounds = 3;
const text = realText();

interface Times {
  readonly script: number;
  readonly official: number;
  readonly ours: number;
  readonly pieces: number;
}

/** Runs every engine on one prompt, checks that all agree, and returns the ms of each. */
async function time(engines: Engines, pieces: readonly string[]): Promise<Times> {
  const prompt = pieces.join("");
  Buffer.byteLength(prompt); // makes it one flat string before any clock starts
  const [ours, oursMs] = await clocked(() => engines.ours.encode(prompt, ids));
  const [fromPieces, piecesMs] = await clocked(() => engines.oursInPieces.encodePieces(pieces, ids));
  const [official, officialMs] = await clocked(() => officialIds(engines.official, prompt));
  const [script, scriptMs] = withScript
    ? await clocked(() => scriptIds(engines.script, prompt))
    : [official, Number.NaN];
  for (const other of [ours, fromPieces.ids, script]) {
    if (Buffer.compare(Buffer.from(other.buffer), Buffer.from(official.buffer)) !== 0) throw new Error("ids differ");
  }
  return { script: scriptMs, official: officialMs, ours: oursMs, pieces: piecesMs };
}

async function clocked<Result>(call: () => Result | Promise<Result>): Promise<readonly [Result, number]> {
  const from = performance.now();
  const called = call();
  const result = called instanceof Promise ? await called : called;
  return [result, performance.now() - from];
}

function median(times: readonly Times[], engine: keyof Times): number {
  return times.map((one) => one[engine]).sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

function report(title: string, times: readonly Times[]): void {
  const [script, official, ours, pieces] = (["script", "official", "ours", "pieces"] as const).map((key) =>
    median(times, key),
  ) as [number, number, number, number];
  const row = (label: string, ms: number) =>
    console.log(
      `  ${label}: ${ms.toFixed(3)} ms, 1/${(script / ms).toFixed(0)} of @huggingface/tokenizers, 1/${(official / ms).toFixed(1)} of npm tokenizers`,
    );
  console.log(`  ${title}: @huggingface/tokenizers ${script.toFixed(1)} ms, npm tokenizers ${official.toFixed(1)} ms`);
  row("    ours, one string", ours);
  row("    ours, pieces", pieces);
}

const wanted = process.argv.slice(2);
for (const name of tokenizerNames.filter((candidate) => wanted.length === 0 || wanted.includes(candidate))) {
  console.log(name);
  for (const [loader, { loadMs, residentMb }] of Object.entries(footprints(name))) {
    console.log(`  load ${loader}: ${loadMs.toFixed(0)} ms, ${residentMb.toFixed(0)} MB resident`);
  }
  const engines = await loadEngines(name);
  const frame = frames[name] ?? chatMl;
  const turns: Times[] = [];
  for (let round = 0; round <= rounds; round++) {
    let isFirst = true;
    for (const pieces of conversation(text.slice(round * 70_000), frame)) {
      const times = await time(engines, pieces);
      if (round > 0 && !isFirst) turns.push(times); // the first round warms up; the first turn of a conversation is unseen text
      isFirst = false;
    }
  }
  report("64 KB conversation, a turn", turns);
  const unseen: Times[] = [];
  for (const slice of slices(text.slice((rounds + 1) * 70_000), 30, 65_536)) unseen.push(await time(engines, [slice]));
  report("64 KB unseen", unseen);
}
