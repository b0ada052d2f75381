/**
 * Milliseconds a warm render takes, of every chat template there is here: those of most first; and Qwen3's against @huggingface/jinja in the
 * same run. CPU time of the process, the middle of several rounds. A process has few templates, and code that runs them all is the slower for
 * it: `--only` measures one alone.
 *
 *   node_modules/.bin/node bench/template/main.ts [--dialect dynamo|huggingface] [--worst 20] [--only NAME]
 */
import { parseArgs } from "node:util";
import { Template } from "@huggingface/jinja";
import { JsonObject, parseJson } from "../../src/json/index.ts";
import { type ChatTemplate, compileTemplate, type TemplateDialect } from "../../src/template/index.ts";
import { realTemplates } from "../../test/support/templates/fixtures.ts";

interface Conversation {
  readonly messages: number;
  readonly characters: number;
  /** Longest that a render may take, in ms. */
  readonly barMs: number;
}

const conversations: readonly Conversation[] = [
  { messages: 21, characters: 64 * 1_024, barMs: 0.05 },
  { messages: 101, characters: 100 * 1_024, barMs: 0.2 },
];
const warmUpRuns = 1_500;
const rounds = 7;
const runsOfRound = 60;

const { values } = parseArgs({
  options: {
    dialect: { type: "string", default: "dynamo" },
    worst: { type: "string", default: "20" },
    only: { type: "string" },
  },
});
const dialect: TemplateDialect = values.dialect === "huggingface" ? "huggingface" : "dynamo";

/** A system message, then turns of words. */
function conversation({ messages, characters }: Conversation): string {
  const length = Math.floor(characters / messages);
  const turns = Array.from({ length: messages }, (_, at) => ({
    role: at === 0 ? "system" : at % 2 === 1 ? "user" : "assistant",
    content: `${at} `.padEnd(length, "the quick brown fox jumps over the lazy dog "),
  }));
  return JSON.stringify({ messages: turns, add_generation_prompt: true, tools: null, bos_token: "<s>" });
}

function contextOf(body: string): JsonObject {
  const context = parseJson(Buffer.from(body));
  if (!(context instanceof JsonObject)) throw new TypeError("an object expected");
  return context;
}

/** CPU time of one call in ms, of the middle round. */
function cpuMs(call: () => unknown, runs = runsOfRound): number {
  const times = Array.from({ length: rounds }, () => {
    const from = process.cpuUsage();
    for (let run = 0; run < runs; run++) call();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1e3 / runs;
  });
  return times.sort((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
}

/** Of each conversation; undefined where the template refuses them. */
function costs(template: ChatTemplate, contexts: readonly JsonObject[]): readonly number[] | undefined {
  try {
    return contexts.map((context) => {
      for (let run = 0; run < warmUpRuns; run++) template.renderPieces(context);
      return cpuMs(() => template.renderPieces(context));
    });
  } catch {
    return undefined;
  }
}

const bodies = conversations.map(conversation);
const contexts = bodies.map(contextOf);

function printPeer(): void {
  const source = realTemplates().get("Qwen-Qwen3-0.6B") ?? "";
  const [ours, peer] = [compileTemplate(source, { dialect }), new Template(source)];
  for (const [at, body] of bodies.entries()) {
    const plain = JSON.parse(body) as Record<string, unknown>;
    if (ours.render(contexts[at] as JsonObject) !== peer.render(plain)) throw new Error("the prompts differ");
    const [mine = Number.NaN] = costs(ours, [contexts[at] as JsonObject]) ?? [];
    const theirs = cpuMs(() => peer.render(plain), 10);
    console.log(
      `Qwen3, ${conversations[at]?.messages} messages: ${mine.toFixed(4)} ms; @huggingface/jinja ${theirs.toFixed(3)} ms, ${(theirs / mine).toFixed(0)} times as long`,
    );
  }
}

/** How near the worse of two costs comes to its bar; 1 is at the bar. */
function nearness(times: readonly number[]): number {
  return Math.max(...times.map((ms, at) => ms / (conversations[at]?.barMs ?? 1)));
}

if (values.only === undefined) printPeer();
const rows = [...realTemplates()].flatMap(([name, source]) => {
  if (values.only !== undefined && values.only !== name) return [];
  const times = costs(compileTemplate(source, { dialect }), contexts);
  return times === undefined ? [] : [{ name, times }];
});
rows.sort((a, b) => nearness(b.times) - nearness(a.times));
const over = rows.filter(({ times }) => nearness(times) > 1);
console.log(
  `${rows.length} templates in ${dialect}'s dialect, ${over.length} over a bar; ms for 21 messages, for 101:`,
);
for (const { name, times } of rows.slice(0, Number(values.worst)))
  console.log(`  ${times.map((ms) => ms.toFixed(3)).join("  ")}  ${name}`);
