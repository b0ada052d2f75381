import { graphemes } from "./cell-width.ts";
import { plain } from "./style.ts";

/** What a terminal is to show: `width` x `height` cells, each a character or the rest of a wide one. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  /** Row by row; "" = the cell is covered by the character to its left. */
  readonly texts: string[];
  readonly styles: Uint8Array;

  readonly #ellipsis: string;

  /** @param ellipsis stands where text was cut off, one cell wide */
  constructor(width: number, height: number, ellipsis = "…") {
    this.#ellipsis = ellipsis;
    this.width = width;
    this.height = height;
    this.texts = new Array<string>(width * height).fill(" ");
    this.styles = new Uint8Array(width * height);
  }

  /**
   * Writes text that is safe (`safeText`), cut off at `end` or the right edge; a cut is shown by an ellipsis.
   * @returns the column behind it
   */
  put(row: number, column: number, text: string, style = plain, end = this.width): number {
    const limit = Math.min(end, this.width);
    if (row < 0 || row >= this.height) return column;
    let at = column;
    for (const { text: drawn, width } of graphemes(text)) {
      if (at + width > limit) return this.#cut(row, column, at, limit, style);
      this.#set(row, at, drawn, width, style);
      at += width;
    }
    return at;
  }

  /** Gives all cells of a row another style. */
  restyle(row: number, style: number): void {
    this.styles.fill(style, row * this.width, (row + 1) * this.width);
  }

  /** Its rows as plain text, without spaces at their ends. */
  lines(): string[] {
    return Array.from({ length: this.height }, (_, row) =>
      this.texts
        .slice(row * this.width, (row + 1) * this.width)
        .join("")
        .trimEnd(),
    );
  }

  /** @param at column at which the next character had no room */
  #cut(row: number, from: number, at: number, limit: number, style: number): number {
    if (limit <= from) return at;
    let last = Math.min(at, limit - 1);
    while (last > from && this.texts[row * this.width + last] === "") last--;
    for (let column = last; column < limit; column++)
      this.#set(row, column, column === last ? this.#ellipsis : " ", 1, style);
    return limit;
  }

  #set(row: number, column: number, text: string, width: number, style: number): void {
    const at = row * this.width + column;
    this.#clearHalves(at, column);
    this.#clearHalves(at + width, column + width);
    for (let cell = at; cell < at + width; cell++) {
      this.texts[cell] = cell === at ? text : "";
      this.styles[cell] = style;
    }
  }

  /** Of a wide character that reaches over this cell's left edge nothing can stay. */
  #clearHalves(at: number, column: number): void {
    if (column >= this.width || this.texts[at] !== "") return;
    let first = at;
    while (this.texts[first] === "") first--;
    let end = at;
    while (end - at + column < this.width && this.texts[end] === "") end++;
    this.texts.fill(" ", first, end);
  }
}
