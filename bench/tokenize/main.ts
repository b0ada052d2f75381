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
const rounds = 5;
const text = realText();

type Name = "script" | "official" | "ours" | "pieces";
type Times = Readonly<Record<Name, readonly number[]>>;

/** A way to ids. The prompt is at hand both as pieces and as one flat string. */
type Encode = (prompt: string, pieces: readonly string[]) => Uint32Array | Promise<Uint32Array>;

function encoders({ ours, oursInPieces, official, script }: Engines): Readonly<Record<Name, Encode>> {
  return {
    ours: (prompt) => ours.encode(prompt, ids),
    pieces: async (_, pieces) => (await oursInPieces.encodePieces(pieces, ids)).ids,
    official: (prompt) => officialIds(official, prompt),
    script: (prompt) => scriptIds(script, prompt),
  };
}

/** Hands the prompts to one engine after the other, checks that all agree, and returns the ms of each prompt. */
async function time(engines: Engines, prompts: readonly (readonly string[])[]): Promise<Times> {
  const times = { script: [], official: [], ours: [], pieces: [] } as Record<Name, number[]>;
  const texts = prompts.map((pieces) => Buffer.from(pieces.join("")).toString());
  const expected: Uint32Array[] = [];
  for (const [name, encode] of Object.entries(encoders(engines)) as [Name, Encode][]) {
    for (const [index, text] of texts.entries()) {
      const from = performance.now();
      const encoded = encode(text, prompts[index] ?? []);
      const result = encoded instanceof Promise ? await encoded : encoded;
      times[name].push(performance.now() - from);
      expected[index] ??= result;
      if (Buffer.compare(bytesOf(result), bytesOf(expected[index])) !== 0) throw new Error("ids differ");
    }
  }
  return times;
}

function bytesOf(numbers: Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function median(times: readonly Times[], name: Name): number {
  const all = times.flatMap((one) => one[name]).sort((a, b) => a - b);
  return all[all.length >> 1] ?? Number.NaN;
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
    const [first, ...others] = conversation(text.slice(round * 70_000), frame);
    if (first !== undefined) await time(engines, [first]); // the first turn of a conversation is unseen text
    const times = await time(engines, others);
    if (round > 0) turns.push(times); // the first round warms up
  }
  report("64 KB conversation, a turn", turns);
  const unseen: Times[] = [];
  for (const slice of slices(text.slice((rounds + 1) * 70_000), 30, 65_536))
    unseen.push(await time(engines, [[slice]]));
  report("64 KB unseen", unseen);
}
