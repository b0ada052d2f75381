import type { CasedLettersPattern } from "./cased-letters-scanner.ts";
import { asShape, type Shape, sequence } from "./json-shape.ts";
import type { LettersPattern } from "./letters-scanner.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";

/** How a model cuts text into words; `joined` for models without such a cut. */
export type WordPattern =
  | ({ readonly kind: "letters" } & LettersPattern)
  | ({ readonly kind: "cased-letters" } & CasedLettersPattern)
  | { readonly kind: "split-runs" }
  | { readonly kind: "joined"; readonly metaspace: Metaspace | undefined };

/** The pre-tokenizer of that name, U+2581 for a space. */
export interface Metaspace {
  /** `first`: one is put before the text; `always`: before each piece between added tokens; both unless one stands there. */
  readonly prepend: "first" | "always" | "never";
  /** Whether each begins a word. */
  readonly split: boolean;
}

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const upper = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
const lower = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
const lead = "[^\\r\\n\\p{L}\\p{N}]?";
const spaces = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

const lettersTail = ` ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`;
const casedTail = ` ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${spaces}`;

function cased(suffix: string, digits: string): string {
  return `${lead}${upper}*${lower}+${suffix}|${lead}${upper}+${lower}*${suffix}|${digits}|${casedTail}`;
}

/** The regular expressions of single splits that the scanners stand for. */
const patterns: ReadonlyMap<string, WordPattern> = new Map<string, WordPattern>([
  [`${contractions}|${lead}\\p{L}+|\\p{N}|${lettersTail}`, { kind: "letters", digits: 1, marks: false }],
  [`${contractions}|${lead}\\p{L}+|\\p{N}{1,3}|${lettersTail}`, { kind: "letters", digits: 3, marks: false }],
  [
    `${contractions}|${lead}[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${spaces}`,
    { kind: "letters", digits: 1, marks: true },
  ],
  [cased(`${contractions}?`, "\\p{N}{1,3}"), { kind: "cased-letters", digits: 3, contractions: true }],
  [cased("", "\\p{N}"), { kind: "cased-letters", digits: 1, contractions: false }],
]);

/** The splits of DeepSeek V3, in order. */
const splitRuns = [
  "\\p{N}{1,3}",
  "[一-龥぀-ゟ゠-ヿ]+",
  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
];

/**
 * @param preTokenizer the component of that name in a tokenizer.json
 * @param normalisesSpaces whether the normaliser has replaced all spaces by U+2581
 * @throws UnsupportedFeature when it is none of those that the scanners stand for
 */
export function readWordPattern(preTokenizer: unknown, normalisesSpaces: boolean): WordPattern {
  const steps = sequence(preTokenizer, "pretokenizers", "pre_tokenizer");
  const byteLevel = steps.at(-1);
  if (byteLevel?.["type"] === "ByteLevel") return readByteLevel(steps.slice(0, -1), byteLevel);
  const [step, ...others] = steps.filter((candidate) => !(normalisesSpaces && splitsAtSpaces(candidate)));
  if (others.length > 0) throw new UnsupportedFeature("pre_tokenizer of several steps");
  return { kind: "joined", metaspace: step === undefined ? undefined : readMetaspace(step) };
}

function readByteLevel(splits: readonly Shape[], byteLevel: Shape): WordPattern {
  if (byteLevel["use_regex"] !== false) throw new UnsupportedFeature("ByteLevel with its own pattern");
  if (byteLevel["add_prefix_space"] !== false) throw new UnsupportedFeature("ByteLevel with add_prefix_space");
  const [only, ...others] = splits;
  if (only !== undefined && others.length === 0) {
    const pattern = patterns.get(regexOf(only, true));
    if (pattern !== undefined) return pattern;
  }
  const isSplitRuns =
    splits.length === splitRuns.length && splits.every((split, index) => regexOf(split, false) === splitRuns[index]);
  if (isSplitRuns) return { kind: "split-runs" };
  throw new UnsupportedFeature("pre_tokenizer with another pattern");
}

/**
 * The regular expression of a Split whose matches become words.
 * @param coversAll whether the matches leave nothing between them: then the inverted form that removes the rest is the same
 */
function regexOf(split: Shape, coversAll: boolean): string {
  const { behavior, invert } = split;
  const isInvertedRemoval = coversAll && behavior === "Removed" && invert === true;
  if (split["type"] !== "Split" || !((behavior === "Isolated" && invert === false) || isInvertedRemoval)) {
    throw new UnsupportedFeature(`pre_tokenizer ${String(split["type"])} ${String(behavior)}`);
  }
  const regex = asShape(split["pattern"], "pattern")["Regex"];
  if (typeof regex !== "string") throw new UnsupportedFeature("a Split without a regular expression");
  return regex;
}

/** Gemma's Split at spaces does nothing when there are none left. */
function splitsAtSpaces(step: Shape): boolean {
  return step["type"] === "Split" && asShape(step["pattern"], "pattern")["String"] === " ";
}

function readMetaspace(step: Shape): Metaspace {
  const { type, replacement, prepend_scheme: scheme = "always", split = true, add_prefix_space: addsPrefix } = step;
  if (type !== "Metaspace" || replacement !== "\u2581" || typeof split !== "boolean") {
    throw new UnsupportedFeature(`pre_tokenizer ${String(type)}`);
  }
  if (addsPrefix === false && scheme === "never") return { prepend: "never", split };
  if (addsPrefix === false || (scheme !== "first" && scheme !== "always" && scheme !== "never")) {
    throw new UnsupportedFeature(`Metaspace with prepend_scheme ${String(scheme)}`);
  }
  return { prepend: scheme, split };
}
