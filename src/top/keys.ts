/** Keys that are no character. */
export type NamedKey =
  | "up"
  | "down"
  | "left"
  | "right"
  | "pageUp"
  | "pageDown"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "tab"
  | "backTab"
  | "backspace"
  | "interrupt"
  | "suspend"
  | "redraw";

/** A key that was pressed: a named one, or one character. */
export type Key = { readonly name: NamedKey } | { readonly character: string };

/** By what follows `ESC [` or `ESC O`, as xterm, VT100, rxvt and the Linux console send it. */
const sequences: Readonly<Record<string, NamedKey>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "backTab",
  M: "enter",
  "1~": "home",
  "4~": "end",
  "5~": "pageUp",
  "6~": "pageDown",
  "7~": "home",
  "8~": "end",
};
const controls: Readonly<Record<string, NamedKey>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u0003": "interrupt",
  "\u0008": "backspace",
  "\u007f": "backspace",
  "\u001a": "suspend",
  "\u000c": "redraw",
};
const esc = "\u001b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are told by them.
const wholeSequence = /^\u001b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e]|[^[O\x00-\x1f])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are told by them.
const begunSequence = /^\u001b(?:\[[\x30-\x3f]*[\x20-\x2f]*|O)?/;
/** Longest sequence that is waited for; what is longer is no key. */
const maxSequenceLength = 32;

/** Reads keys from what a terminal in raw mode sends. A sequence that came in two parts is one key. */
export class KeyReader {
  #pending = "";

  /** Whether the last text ended within a sequence, or with an ESC that may be a key of its own. */
  get isWaiting(): boolean {
    return this.#pending !== "";
  }

  push(text: string): Key[] {
    this.#pending += text;
    const keys: Key[] = [];
    while (this.#pending !== "") {
      const length = this.#nextLength();
      if (length === undefined) break;
      const key = keyOf(this.#pending.slice(0, length));
      this.#pending = this.#pending.slice(length);
      if (key !== undefined) keys.push(key);
    }
    return keys;
  }

  /** Nothing more came: a lone ESC was the key, an unfinished sequence was none. */
  flush(): Key[] {
    const isKey = this.#pending === esc;
    this.#pending = "";
    return isKey ? [{ name: "escape" }] : [];
  }

  /** @returns undefined = more has to come first */
  #nextLength(): number | undefined {
    if (!this.#pending.startsWith(esc)) return String.fromCodePoint(this.#pending.codePointAt(0) ?? 0).length;
    if (this.#pending.startsWith(esc, 1)) return 1;
    const [sequence] = wholeSequence.exec(this.#pending) ?? [];
    if (sequence !== undefined) return sequence.length;
    const [{ length }] = begunSequence.exec(this.#pending) ?? [""];
    // What cannot be a part of it is a key of its own: Ctrl-C above all.
    return length < this.#pending.length || length > maxSequenceLength ? length : undefined;
  }
}

function keyOf(text: string): Key | undefined {
  if (text === esc) return { name: "escape" };
  if (text.startsWith(esc)) {
    // With modifiers, as `1;5A` for Ctrl and up, it is the same key here.
    const name = sequences[text.slice(2).replace(/^1;\d+(?=[A-Z])/, "")];
    return name === undefined ? undefined : { name };
  }
  const name = controls[text];
  if (name !== undefined) return { name };
  return text >= " " ? { character: text } : undefined;
}
