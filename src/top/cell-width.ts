/** What is drawn at one place: a character with all that belongs to it. */
export interface Grapheme {
  readonly text: string;
  /** Cells of the terminal that it takes, 1 or more. */
  readonly width: number;
}

/** Blocks of Unicode whose characters are two cells wide (East Asian Width W and F), from and to; those of emoji are told by their property. */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x18d00, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];
const printableAscii = /^[\x20-\x7e]*$/;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
const emojiBase = /^\p{Emoji}/u;
/** Drawn over what stands before; vowels and finals of Hangul are drawn into their syllable. */
const combining = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const dottedCircle = "\u25cc";
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Splits text without control characters into what is drawn at one place each. */
export function graphemes(text: string): Grapheme[] {
  if (printableAscii.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }));
  return Array.from(segmenter.segment(text), ({ segment }) => graphemeOf(segment));
}

/** Cells that text without control characters takes. */
export function textWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  return graphemes(text).reduce((sum, { width }) => sum + width, 0);
}

function graphemeOf(text: string): Grapheme {
  if (emoji.test(text) && emojiBase.test(text)) return { text, width: 2 };
  let width = 0;
  for (const character of text) width += characterWidth(character);
  // With nothing to be drawn over it would go over what stands to its left, in another column perhaps.
  return width === 0 ? { text: dottedCircle + text, width: 1 } : { text, width };
}

function characterWidth(character: string): number {
  if (combining.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x1100) return 1;
  if (emoji.test(character)) return 2;
  return wideRanges.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}
