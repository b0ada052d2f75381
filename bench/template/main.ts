// Milliseconds a warm render of Qwen3's chat template takes, ours against @huggingface/jinja in the same run.
import { Template } from "@huggingface/jinja";
import { JsonObject, parseJson } from "../../src/json/index.ts";
import { compileTemplate } from "../../src/template/index.ts";
import { realTemplates } from "../../test/support/templates/fixtures.ts";

interface Conversation {
  readonly messages: number;
  readonly characters: number;
  /** Longest that a render may take, in ms. */
  readonly bar: number;
}

const conversations: readonly Conversation[] = [
  { messages: 21, characters: 64 * 1_024, bar: 0.05 },
  { messages: 101, characters: 100 * 1_024, bar: 0.2 },
];

const source = realTemplates().get("Qwen-Qwen3-0.6B") ?? "";

/** A system message, then turns of words. */
function conversation({ messages, characters }: Conversation): string {
  const length = Math.floor(characters / messages);
  const turns = Array.from({ length: messages }, (_, at) => ({
    role: at === 0 ? "system" : at % 2 === 1 ? "user" : "assistant",
    content: `${at} `.padEnd(length, "the quick brown fox jumps over the lazy dog "),
  }));
  return JSON.stringify({ messages: turns, add_generation_prompt: true, tools: null });
}

/** Median time of one call, in ms. */
function medianMs(runs: number, call: () => void): number {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const from = process.hrtime.bigint();
    call();
    times.push(Number(process.hrtime.bigint() - from) / 1e6);
  }
  times.sort((a, b) => a - b);
  return times[runs >> 1] ?? Number.NaN;
}

const template = compileTemplate(source, { dialect: "dynamo" });
const peer = new Template(source);

for (const shape of conversations) {
  const body = conversation(shape);
  const context = parseJson(Buffer.from(body));
  if (!(context instanceof JsonObject)) throw new TypeError("an object expected");
  const plain = JSON.parse(body) as Record<string, unknown>;
  if (template.render(context) !== peer.render(plain)) throw new Error("the prompts differ");
  medianMs(2_000, () => template.renderPieces(context));
  const ours = medianMs(2_000, () => template.renderPieces(context));
  const joined = medianMs(500, () => template.render(context).length);
  const theirs = medianMs(60, () => peer.render(plain));
  console.log(
    `${shape.messages} messages, ${shape.characters / 1_024} KB: ours ${ours.toFixed(4)} ms in pieces, ${joined.toFixed(4)} ms as one text; ` +
      `@huggingface/jinja ${theirs.toFixed(3)} ms, ${(theirs / ours).toFixed(0)} times as long`,
  );
  if (ours > shape.bar) throw new Error(`slower than ${shape.bar} ms`);
}
