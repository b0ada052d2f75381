/** What follows `ESC [`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is told by them.
const sequence = /\u001b\[([?>]?)([0-9;]*)([A-Za-z])/y;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const wide = /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}|\ufe0f/u;

export interface ScreenOptions {
  /** Cells that a character takes. Default: as terminals mostly agree. */
  readonly widthOf?: (character: string) => number;
}

/** What a person sees who looks at a terminal: as much of one as a test needs, and an error for anything else. */
export class TerminalScreen {
  #columns: number;
  #rows: number;
  readonly #widthOf: (character: string) => number;
  #cells: string[][] = [];
  #reversed: boolean[][] = [];
  #row = 0;
  #column = 0;
  #attributes = new Set<number>();
  readonly #modes = new Set<number>([25, 7]);
  /** The other screen, while this one is shown. */
  #kept: string[][] | undefined;
  #pending = "";
  /** Cells that were written, and times that all was erased. */
  readonly written = { cells: 0, clears: 0 };
  /** Colours that were asked for. */
  readonly colours = new Set<number>();

  constructor(columns: number, rows: number, options: ScreenOptions = {}) {
    this.#columns = columns;
    this.#rows = rows;
    this.#widthOf = options.widthOf ?? ((character) => (wide.test(character) ? 2 : 1));
    this.#clear();
  }

  /** The person has changed the window; what was on it stays where it was. */
  resize(columns: number, rows: number): void {
    const old = this.#cells;
    [this.#columns, this.#rows] = [columns, rows];
    this.#clear();
    for (const [row, cells] of old.entries())
      for (const [column, cell] of cells.entries()) if (row < rows && column < columns) this.#set(row, column, cell);
  }

  get lines(): string[] {
    return this.#cells.map((cells) => cells.join("").trimEnd());
  }

  get text(): string {
    return this.lines.join("\n");
  }

  /** What stands at a place of the screen. */
  at(row: number, column: number): string {
    return this.#cells[row]?.[column] ?? "";
  }

  /** Lines that are shown in reverse from their first cell to their last. */
  get reversedLines(): string[] {
    return this.lines.filter((_, row) => this.#reversed[row]?.every((is) => is) === true);
  }

  get isCursorShown(): boolean {
    return this.#modes.has(25);
  }

  get isAlternate(): boolean {
    return this.#modes.has(1049);
  }

  get isWrapping(): boolean {
    return this.#modes.has(7);
  }

  /** Whether text is shown as it is by default. */
  get isPlain(): boolean {
    return this.#attributes.size === 0;
  }

  write(text: string): void {
    const all = this.#pending + text;
    // A sequence that is not whole waits for its rest; so does a character that others may still belong to.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is told by them.
    const whole = /\u001b(?:\[[?>]?[0-9;]*)?$/.exec(all)?.index ?? all.length;
    this.#pending = all.slice(whole);
    for (let at = 0; at < whole; ) at += this.#next(all.slice(0, whole), at);
  }

  /** @returns how much of the text was used */
  #next(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === 0x1b) {
      sequence.lastIndex = at;
      const [all, mark = "", numbers = "", letter = ""] = sequence.exec(text) ?? [];
      if (all === undefined)
        throw new Error(`a sequence that is not known: ${JSON.stringify(text.slice(at, at + 12))}`);
      this.#control(mark, numbers.split(";").map(Number), letter);
      return all.length;
    }
    if (code === 0x0d) this.#column = 0;
    else if (code === 0x0a) this.#row = Math.min(this.#rows - 1, this.#row + 1);
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) throw new Error(`a control character: ${code}`);
    else return this.#print(text, at);
    return 1;
  }

  #print(text: string, at: number): number {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is told by them.
    const end = text.slice(at).search(/[\u0000-\u001f]/u);
    const run = end === -1 ? text.slice(at) : text.slice(at, at + end);
    for (const { segment } of segmenter.segment(run)) this.#put(segment);
    return run.length;
  }

  #put(character: string): void {
    const width = this.#widthOf(character);
    if (this.#column + width > this.#columns) {
      if (this.isWrapping) [this.#row, this.#column] = [Math.min(this.#rows - 1, this.#row + 1), 0];
      else this.#column = this.#columns - width;
    }
    const cells = this.#cells[this.#row] ?? [];
    // Half of a wide character cannot stay.
    if (cells[this.#column] === "") cells[this.#column - 1] = " ";
    if (cells[this.#column + width] === "") cells[this.#column + width] = " ";
    for (let at = 0; at < width; at++) this.#set(this.#row, this.#column + at, at === 0 ? character : "");
    this.#column += width;
    this.written.cells += width;
  }

  #set(row: number, column: number, cell: string): void {
    const cells = this.#cells[row] ?? [];
    cells[column] = cell;
    const reversed = this.#reversed[row];
    if (reversed !== undefined) reversed[column] = this.#attributes.has(7);
  }

  #control(mark: string, numbers: readonly number[], letter: string): void {
    const [first = 0, second = 0] = numbers;
    switch (mark + letter) {
      case "H":
        [this.#row, this.#column] = [Math.max(1, first) - 1, Math.max(1, second) - 1];
        break;
      case "G":
        this.#column = Math.max(1, first) - 1;
        break;
      case "J":
        if (first !== 2) throw new Error("only all of the screen is erased");
        this.#clear();
        this.written.clears++;
        break;
      case "K":
        this.#cells[this.#row]?.fill(" ");
        break;
      case "m":
        for (const number of numbers) this.#attribute(number);
        break;
      case "?h":
      case "?l":
        this.#mode(first, letter === "h");
        break;
      default:
        throw new Error(`a sequence that is not known: ESC[${mark}${numbers.join(";")}${letter}`);
    }
    this.#row = Math.min(this.#row, this.#rows - 1);
    this.#column = Math.min(this.#column, this.#columns);
  }

  #attribute(number: number): void {
    if (number === 0) this.#attributes = new Set();
    else this.#attributes.add(number);
    if (number >= 30) this.colours.add(number);
  }

  #mode(mode: number, isSet: boolean): void {
    if (mode === 1049 && isSet) {
      this.#kept = this.#cells;
      this.#clear();
    } else if (mode === 1049 && this.#kept !== undefined) {
      this.#cells = this.#kept;
      this.#kept = undefined;
    }
    if (isSet) this.#modes.add(mode);
    else this.#modes.delete(mode);
  }

  #clear(): void {
    this.#cells = Array.from({ length: this.#rows }, () => new Array<string>(this.#columns).fill(" "));
    this.#reversed = Array.from({ length: this.#rows }, () => new Array<boolean>(this.#columns).fill(false));
  }
}
