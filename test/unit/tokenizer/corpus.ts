import { Random } from "./random.ts";

const words =
  "the of and to in is that for it with as was on be at by this have from or one had not but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know".split(
    " ",
  );
const keywords = ["function", "const", "return", "async", "await", "def", "class", "import", "self", "null", "SELECT"];
const contractions = [
  "'s",
  "'t",
  "'re",
  "'ve",
  "'m",
  "'ll",
  "'d",
  "'S",
  "'LL",
  "'Re",
  "'ſ",
  "'K",
  "'İ",
  "’s",
  "'l",
  "'v",
];
const spaces = [
  " ",
  "  ",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "\u00a0",
  "\u3000",
  "\u2028",
  "\u0085",
  "\ufeff",
  "\u200b",
  "\v",
  "\f",
];
const accents = [
  "é",
  "e\u0301",
  "ñ",
  "n\u0303",
  "Å",
  "A\u030a",
  "\u212b",
  "ự",
  "u\u031b\u0323",
  "ü",
  "ß",
  "ﬁ",
  "ǆ",
  "c\u0307\u0323",
  "i\u0307",
  "İ",
  "ı",
  "K",
  "ſ",
  "\u0344",
  "q\u0307\u0323",
];
const emoji = ["😀", "👨‍👩‍👧", "🏳️‍🌈", "👍🏽", "🇩🇪", "☺️", "❤", "🫠", "🧑🏿‍🚀", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"];
/** Characters that Unicode versions, or the engines' tables, see differently. */
const skew = [
  "\u{16eac}",
  "\u{1e04d}",
  "\u0c3c",
  "\u{105d2}\u0307",
  "\u{16d67}\u{16d67}",
  "\u{11382}\u{113c9}",
  "\u1acf",
  "\u088f",
  "\u{1c89}",
  "\u{a7dc}",
  "\u{10ec5}",
  "\u07fd",
  "\u0898",
  "\u{1e5ee}",
  "\u{11935}\u{11930}",
  "\u{16d63}\u{16d67}",
  "\u{323b0}",
  "\u1acb",
  "\u{10d4a}",
  "\u{a7ce}",
];
const symbols = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~«»…—–†‡•′″‹›€£¥₿∑∫√≠≤≥→⇒©®™°±²³¼½¾"];

/** What a corpus needs to know of a model. */
export interface CorpusModel {
  /** Contents of its added tokens. */
  readonly addedTokens: readonly string[];
}

type Make = (random: Random, model: CorpusModel) => string;

function ofRange(random: Random, first: number, last: number): string {
  const point = random.between(first, last);
  return point >= 0xd800 && point <= 0xdfff ? "x" : String.fromCodePoint(point);
}

function sentence(random: Random): string {
  const text = Array.from({ length: random.between(3, 14) }, () => random.pick(words)).join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${random.pick([".", "!", "?", ":", "..."])}`;
}

function script(first: number, last: number, spacing: number): Make {
  return (random) =>
    random.text(random.between(5, 120), () =>
      random.below(100) < spacing ? random.pick([" ", " ", "\n", ". "]) : ofRange(random, first, last),
    );
}

function mixing(parts: readonly string[]): Make {
  return (random) =>
    random.text(random.between(2, 60), () =>
      random.pick([random.pick(parts), random.pick(parts), random.pick(words), " "]),
    );
}

function mixed(random: Random, model: CorpusModel): string {
  return random.text(random.between(2, 6), () => {
    const make = random.pick([...makers.values()].filter((candidate) => candidate !== mixed));
    return make(random, model)
      .slice(0, random.between(1, 80))
      .replace(/[\ud800-\udbff]$/, "")
      .replace(/^[\udc00-\udfff]/, "");
  });
}

/** 22 kinds of text. */
const makers: ReadonlyMap<string, Make> = new Map<string, Make>([
  [
    "prose",
    (random) =>
      random.text(random.between(1, 30), () => sentence(random) + random.pick([" ", " ", "\n", "\n\n", "  "])),
  ],
  [
    "code",
    (random) =>
      random.text(
        random.between(2, 25),
        () =>
          `${random.pick(["", "  ", "    ", "\t", "\t\t"])}${random.pick(keywords)} ${random.pick(words)}${random.pick(["(", "[i]", " = ", ".x", "->", "::", "{"])}${random.pick(words)}${random.pick([");", "}", ",", "", " //", ":"])}\n`,
      ),
  ],
  [
    "json",
    (random) =>
      JSON.stringify(
        Array.from({ length: random.between(1, 8) }, () => ({
          [random.pick(words)]: random.below(1e9) / random.pick([1, 7]),
          [random.pick(words)]: sentence(random),
          nested: [null, true, random.pick(emoji)],
        })),
        null,
        random.pick([0, 1, 2, 4]),
      ),
  ],
  [
    "markup",
    (random) =>
      random.text(
        random.between(1, 30),
        () =>
          `<${random.pick(["div", "p", "h1", "/div", "br/", 'a href="x"', "table", "tr", "td", "unused1", "s", "/s", "|x|"])}>${random.pick(["", sentence(random), " ", "\n"])}`,
      ),
  ],
  [
    "spaces",
    (random) =>
      random.text(random.between(1, 40), () =>
        random.pick([random.pick(spaces), " ".repeat(random.between(1, 20)), "\n".repeat(random.between(1, 9)), "x"]),
      ),
  ],
  [
    "lines",
    (random) =>
      random.text(random.between(2, 40), () =>
        random.pick(["\n", "\n\n", "\r\n", " \n", "\n ", "\t\n\t", "/", "a", "//\n", ".\n\n"]),
      ),
  ],
  [
    "numbers",
    (random) =>
      random.text(random.between(1, 40), () =>
        random.pick([
          String(random.below(1e9)),
          "٣",
          "४",
          "²",
          "Ⅷ",
          "1,000.50",
          "-",
          " ",
          "0x1F",
          "\u{1d7d8}",
          "㊀",
          "½",
        ]),
      ),
  ],
  [
    "punctuation",
    (random) =>
      random.text(random.between(2, 60), () => random.pick([random.pick(symbols), " ", "\n", "a", "/", "__"])),
  ],
  [
    "contractions",
    (random) =>
      random.text(random.between(2, 30), () =>
        random.pick([
          random.pick(words),
          random.pick(words).toUpperCase(),
          random.pick(contractions),
          " ",
          "I",
          "中",
          "'",
        ]),
      ),
  ],
  [
    "cases",
    (random) =>
      random.text(random.between(2, 30), () =>
        random.pick([
          "camelCase",
          "HTTPServer",
          "ABC",
          "abcD",
          "iPhone",
          "ǅx",
          "ʰA",
          "中A",
          "Éa",
          "aÉ",
          "_",
          " ",
          "\u0301A",
          "ªB",
          "ΣΑΣ",
        ]),
      ),
  ],
  ["accents", mixing(accents)],
  ["emoji", mixing(emoji)],
  ["skew", mixing(skew)],
  ["cyrillic and greek", script(0x370, 0x52f, 20)],
  ["chinese", script(0x4e00, 0x9fff, 5)],
  [
    "japanese",
    (random) =>
      random.text(random.between(5, 80), () =>
        random.pick([
          ofRange(random, 0x3040, 0x30ff),
          ofRange(random, 0x4e00, 0x9fbf),
          "、",
          "。",
          "ー",
          " ",
          "1",
          "A",
        ]),
      ),
  ],
  [
    "korean",
    (random) =>
      random.text(random.between(5, 60), () =>
        random.pick([ofRange(random, 0xac00, 0xd7a3), ofRange(random, 0x1100, 0x11ff), " ", "\n"]),
      ),
  ],
  ["arabic and hebrew", script(0x590, 0x6ff, 15)],
  ["indic and thai", script(0x900, 0xe7f, 12)],
  [
    "any character",
    (random) =>
      random.text(random.between(1, 60), () =>
        ofRange(random, 0, random.pick([0x7f, 0x2ff, 0xffff, 0x1ffff, 0x10ffff])),
      ),
  ],
  [
    "added tokens",
    (random, { addedTokens }) =>
      random.text(random.between(1, 20), () =>
        random.pick([
          random.pick(addedTokens),
          random.pick(addedTokens).slice(0, -1),
          random.pick(addedTokens).slice(1),
          random.pick(words),
          " ",
          "\n",
          "  ",
        ]),
      ),
  ],
  ["mixed", mixed],
]);

/** Texts of every category in turn. */
export function corpusTexts(model: CorpusModel, count: number, seed: number): readonly string[] {
  const random = new Random(seed);
  const all = [...makers.values()];
  return Array.from({ length: count }, (_, index) => (all[index % all.length] ?? mixed)(random, model));
}

/** Short strings of the parts that engines differ on, in any order. */
export function fuzzTexts(model: CorpusModel, count: number, seed: number): readonly string[] {
  const random = new Random(seed);
  const parts = [
    contractions,
    spaces,
    accents,
    emoji,
    skew,
    symbols,
    model.addedTokens,
    words,
    keywords,
    [
      "\u0301A",
      "\n\u0301AB",
      "1\u0301A",
      "\n1",
      "1",
      "22",
      "333",
      "a",
      "B",
      "中",
      "ア",
      "\u0301",
      "▁",
      "/",
      "\0",
      "\u{10ffff}",
      "ʰ",
    ],
  ];
  return Array.from({ length: count }, () => random.text(random.between(1, 14), () => random.pick(random.pick(parts))));
}

/** Texts whose naive treatment is quadratic or overflows something. */
export function longTexts(scale: number): readonly string[] {
  const random = new Random(7);
  return [
    ..."a -\n中<'0😀".split("").map((character) => character.repeat(scale)),
    "ab".repeat(scale),
    "\u0301".repeat(scale),
    " \t".repeat(scale),
    random.text(scale, () => ofRange(random, 0x61, 0x7a)),
    random.text(scale, () => ofRange(random, 0x4e00, 0x9fff)),
    random.text(scale, () => ofRange(random, 0x21, 0x7e)),
  ].map((text) => text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "x"));
}
