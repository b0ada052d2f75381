import { characterOfByte } from "../../../src/tokenizer/byte-alphabet.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type TokenizerJson = { readonly [key: string]: Json };

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const spaces = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const upper = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
const lower = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";

/** Patterns of models that no package holds. */
export const patterns = {
  qwen35: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${spaces}`,
  qwen3: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`,
  tekken: `[^\\r\\n\\p{L}\\p{N}]?${upper}*${lower}+|[^\\r\\n\\p{L}\\p{N}]?${upper}+${lower}*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${spaces}`,
} as const;

export function addedToken(content: string, flags: { readonly [flag: string]: Json } = {}): TokenizerJson {
  return {
    id: 0,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
    ...flags,
  };
}

/** A byte-level model whose tokens show where the words ended: each byte and a few merges. */
export function byteModel(pattern: string, changes: TokenizerJson = {}): TokenizerJson {
  return {
    version: "1.0",
    added_tokens: [addedToken("<|x|>"), addedToken("<|x|y>"), addedToken("<think>", { special: false })],
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: null,
    model: bpe(characterOfByte, byteMerges(), {}),
    ...changes,
  };
}

/** A SentencePiece model: U+2581, some characters, all bytes, a few merges. */
export function characterModel(changes: TokenizerJson = {}): TokenizerJson {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  const characters = [..."▁abcdefghijklmnopqrstuvwxyzABC.,!'/<>\n中文😀"];
  const merges = [..."abcdefghij"].flatMap((first) => [
    ["▁", first],
    [first, "e"],
    [`▁${first}`, "e"],
  ]);
  return {
    version: "1.0",
    added_tokens: [addedToken("<unk>"), addedToken("<s>"), addedToken("▁▁", { special: false })],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: bpe(["<unk>", "<s>", ...bytes, ...characters], [["▁", "▁"], ["\n", "\n"], ["中", "文"], ...merges], {
      unk_token: "<unk>",
      fuse_unk: true,
      byte_fallback: true,
    }),
    ...changes,
  };
}

/** Bytes that stand side by side in the tests' texts are merged in every way: any wrong border between words shows. */
function byteMerges(): readonly (readonly string[])[] {
  const common = [" ", "\n", "\t", "'", "s", "a", "e", "A", "1", "/", ".", "\u00cc", "\u0081", "\u00e4", "\u00b8"].map(
    (character) => characterOfByte[character.charCodeAt(0)] ?? character,
  );
  const pairs = common.flatMap((first) => common.map((second) => [first, second]));
  const triples = common.map((first) => [`${first}${common[0]}`, common[4] ?? ""]);
  const acute = ["\u00cc", "\u0081"].map((byte) => characterOfByte[byte.charCodeAt(0)] ?? byte).join("");
  return [...pairs, ...triples, [acute, "A"]];
}

function bpe(
  alphabet: readonly string[],
  merges: readonly (readonly string[])[],
  settings: TokenizerJson,
): TokenizerJson {
  const tokens = [...new Set([...alphabet, ...merges.map((merge) => merge.join(""))])];
  return { type: "BPE", ...settings, vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges };
}
