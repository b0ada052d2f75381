import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AutoTokenizer, env, type PreTrainedTokenizer } from "@huggingface/transformers";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureModelFolder, testModels } from "../../scripts/models.ts";
import { JsonObject, parseJson } from "../../src/json/index.ts";
import { loadTokenizer, type Tokenizer } from "../../src/tokenizer/index.ts";
import { Chance, derivedSeed } from "../live/parity/bodies/chance.ts";
import { text } from "../live/parity/bodies/texts.ts";
import { answers } from "./answers.ts";
import { caseLines } from "./expectations.ts";

env.allowRemoteModels = false;
env.allowLocalModels = true;

interface Message {
  readonly role: string;
  readonly content: string;
}

/**
 * Where that engine is not right (Python's transformers agrees with us): it strips what JavaScript strips, all white space after
 * `</think>`, and spaces beside `<s>` and `<unk>`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: white space to Python
const readOtherwise = /[\u001c-\u001f\u0085\ufeff]|<\/?think>|<\/?s>|<unk>/g;
/** Longer ones take that engine seconds. */
const maxUnits = 5_000;

/**
 * Every string that stands anywhere in the parity cases (30 scripts, code, white space, emoji, control characters, markup), and
 * as many composed ones.
 */
const texts = [
  ...new Set(caseLines().flatMap((line) => stringsOf(JSON.parse(line)))),
  ...Array.from({ length: 600 }, (_, index) => text(new Chance(derivedSeed(1, index)))).filter(isShort),
];

function isShort({ length }: string): boolean {
  return length <= maxUnits;
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

interface Chat {
  readonly name: string;
  readonly messages: readonly Message[];
}

/** Conversations of plain text, as they stand in the cases, and composed ones. */
const chats: readonly Chat[] = [
  ...caseLines()
    .map((line) => JSON.parse(line) as { name: string; body: { messages?: readonly Message[] } })
    .filter(({ name }) => name.startsWith("chat/text"))
    .map(({ name, body }) => ({ name, messages: body.messages ?? [] })),
  ...Array.from({ length: 60 }, (_, index) => composedChat(index)),
];

/** Turns in the usual order, which every template takes. */
function composedChat(index: number): Chat {
  const chance = new Chance(derivedSeed(2, index));
  const said = (role: string): Message => ({
    role,
    content: text(chance).slice(0, maxUnits).toWellFormed().replaceAll(readOtherwise, ""),
  });
  const turns = chance.list(0, 4, () => [said("user"), said("assistant")]).flat();
  const head = chance.is(0.5) ? [said("system")] : [];
  return { name: `composed/${index}`, messages: [...head, ...turns, said("user")] };
}

/** As one line for every reader: some end lines at U+2028 and U+2029 too. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

describe.each(testModels)("@huggingface/transformers on %s", (model) => {
  const folder = ensureModelFolder(model);
  let theirs: PreTrainedTokenizer;
  let ours: Tokenizer;

  beforeAll(async () => {
    theirs = await AutoTokenizer.from_pretrained(folder, { local_files_only: true });
    const config = parseJson(readFileSync(join(folder, "tokenizer_config.json")));
    ours = await loadTokenizer(
      readFileSync(join(folder, "tokenizer.json")),
      config instanceof JsonObject ? config : undefined,
    );
  });

  it.each([{ addSpecialTokens: false }, { addSpecialTokens: true }])(
    "gives the same ids for every text, $addSpecialTokens",
    async ({ addSpecialTokens }) => {
      expect(texts.length).toBeGreaterThan(1_200);
      const different: string[] = [];
      for (const each of texts) {
        const expected = theirs.encode(each, { add_special_tokens: addSpecialTokens });
        const given = [...(await ours.encode(each, { addSpecialTokens }))];
        if (String(given) !== String(expected)) different.push(each);
      }
      expect(different).toEqual([]);
    },
  );

  it("gives the same ids for every plain conversation", async () => {
    expect(chats.length).toBeGreaterThan(90);
    const lines = chats.map(({ name, messages }) =>
      jsonLine({ name, path: "/v1/chat/completions", body: { messages } }),
    );
    // vLLM renders gpt-oss in code of its own.
    const profile = model === "gptoss" ? "sglang" : "vllm";
    const given = await answers({ modelDir: folder, model, profile }, lines);
    for (const [at, { name, messages }] of chats.entries()) {
      const expected = theirs.apply_chat_template(
        messages.map((message) => ({ ...message })),
        {
          add_generation_prompt: true,
          return_tensor: false,
          return_dict: false,
        },
      );
      expect({ name, ids: given[at]?.token_ids }).toEqual({ name, ids: expected });
    }
  });
});
