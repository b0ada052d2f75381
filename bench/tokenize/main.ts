// Token ids of growing conversations and of unseen text, against npm `tokenizers` and `@huggingface/tokenizers` in the same run; ratios are what counts.

import { ensureModelFolder } from "../../scripts/models.ts";
import { tokenizerNames } from "../../scripts/tokenizers.ts";
import type { EncodedPrompt } from "../../src/tokenizer/index.ts";
import { printBlocking } from "./blocking.ts";
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
/** The first rounds pay for the warming up of the code: that of a turn takes some 150 turns to get there. */
const warmUpRounds = 4;
const rounds = 7;
/** Of unseen text: as many as there is text for. */
const slicesOfRound = 2;
/** What each engine is handed in a row: the first turns after another engine's pay for what that has left in the processor's caches. */
const conversationsOfRound = 2;
const unitsOfConversation = 70_000;
const unitsOfTurns = (warmUpRounds + rounds) * conversationsOfRound * unitsOfConversation;
const text = realText();

const names = ["script", "official", "ours", "pieces", "runs"] as const;
type Name = (typeof names)[number];

/** Of one prompt, ms: CPU of the whole process (each engine's threads are its cost), and the time that passes. */
interface Cost {
  readonly cpu: number;
  readonly wall: number;
}
type Costs = Readonly<Record<Name, Cost>>;

/** Ids, or what has them. */
type Encoded = Uint32Array | EncodedPrompt;

/** A way to ids. The prompt is at hand both as pieces and as one flat string. */
type Encode = (prompt: string, pieces: readonly string[]) => Encoded | Promise<Encoded>;

function encoders({ ours, oursInPieces, oursInRuns, official, script }: Engines): Readonly<Record<Name, Encode>> {
  return {
    ours: (prompt) => ours.encode(prompt, ids),
    pieces: async (_, pieces) => (await oursInPieces.encodePieces(pieces, ids)).ids,
    // The picker hashes and injects the ids as they are kept, in runs: nothing copies them into one array.
    runs: (_, pieces) => oursInRuns.encodePieces(pieces, ids),
    official: (prompt) => officialIds(official, prompt),
    script: (prompt) => scriptIds(script, prompt),
  };
}

/** Hands the prompts to one engine after the other, checks that all agree, and returns what a prompt costs each on average. */
async function measure(engines: Engines, prompts: readonly (readonly string[])[]): Promise<Costs> {
  const costs = {} as Record<Name, Cost>;
  const texts = prompts.map((pieces) => Buffer.from(pieces.join("")).toString());
  let expected: readonly Uint32Array[] | undefined;
  const encode = encoders(engines);
  for (const name of names) {
    const encodings: Encoded[] = [];
    const [cpu, from] = [process.cpuUsage(), performance.now()];
    for (const [index, text] of texts.entries()) {
      const encoded = encode[name](text, prompts[index] ?? []);
      encodings.push(encoded instanceof Promise ? await encoded : encoded);
    }
    const wall = (performance.now() - from) / texts.length;
    const { user, system } = process.cpuUsage(cpu);
    costs[name] = { cpu: (user + system) / 1e3 / texts.length, wall };
    const results = encodings.map((encoded) => (encoded instanceof Uint32Array ? encoded : encoded.ids));
    expected ??= results;
    for (const [index, result] of results.entries())
      if (Buffer.compare(bytesOf(result), bytesOf(expected[index] ?? result)) !== 0) throw new Error("ids differ");
  }
  return costs;
}

function bytesOf(numbers: Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function median(costs: readonly Costs[], name: Name, kind: keyof Cost): number {
  const all = costs.map((one) => one[name][kind]).sort((a, b) => a - b);
  return all[all.length >> 1] ?? Number.NaN;
}

/** Least, median and most of the ratios of each round: what the machine does meanwhile hits both sides of a round. */
function ratio(costs: readonly Costs[], name: Name, peer: Name, kind: keyof Cost): string {
  const all = costs.map((one) => one[peer][kind] / one[name][kind]).sort((a, b) => a - b);
  const at = (index: number) => (all[index] ?? Number.NaN).toFixed(1);
  return `${at(all.length >> 1)} (${at(0)} to ${at(all.length - 1)})`;
}

function report(title: string, costs: readonly Costs[]): void {
  const of = (name: Name) =>
    `${median(costs, name, "cpu").toFixed(3)} ms of CPU, ${median(costs, name, "wall").toFixed(3)} ms`;
  console.log(`  ${title}: @huggingface/tokenizers ${of("script")}; npm tokenizers ${of("official")}`);
  for (const [name, label] of [
    ["ours", "one string"],
    ["pieces", "pieces"],
    ["runs", "pieces, ids left in runs"],
  ] as const) {
    const against = (peer: Name) => `1/${ratio(costs, name, peer, "cpu")}`;
    console.log(
      `    ours, ${label}: ${of(name)}; CPU ${against("script")} of @huggingface/tokenizers, ${against("official")} of npm tokenizers`,
    );
  }
}

const wanted = process.argv.slice(2);
for (const name of tokenizerNames.filter((candidate) => wanted.length === 0 || wanted.includes(candidate))) {
  console.log(name);
  for (const [loader, { loadMs, residentMb }] of Object.entries(footprints(name))) {
    console.log(`  load ${loader}: ${loadMs.toFixed(0)} ms, ${residentMb.toFixed(0)} MB resident`);
  }
  const engines = await loadEngines(name);
  const frame = frames[name] ?? chatMl;
  const turns: Costs[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const conversations = Array.from({ length: conversationsOfRound }, (_, at) => [
      ...conversation(text.slice((round * conversationsOfRound + at) * unitsOfConversation), frame),
    ]);
    await measure(
      engines,
      conversations.flatMap((prompts) => prompts.slice(0, 1)), // the first turn of a conversation is unseen text
    );
    const costs = await measure(
      engines,
      conversations.flatMap((prompts) => prompts.slice(1)),
    );
    if (round >= warmUpRounds) turns.push(costs);
  }
  report("64 KB conversation, a turn", turns);
  const unseen: Costs[] = [];
  const fresh = slices(text.slice(unitsOfTurns), slicesOfRound * rounds, 65_536);
  for (let at = 0; at < fresh.length; at += slicesOfRound)
    unseen.push(
      await measure(
        engines,
        fresh.slice(at, at + slicesOfRound).map((slice) => [slice]),
      ),
    );
  report("64 KB unseen", unseen);
}
if (wanted.length === 0 || wanted.includes("blocking")) {
  console.log("bodies of 4 MB, qwen3");
  await printBlocking(ensureModelFolder("qwen3"), 3_950_000, 5);
}
