import type { Writable } from "node:stream";

const cells = 30;
const fewestCells = 5;

/** Where a bar is drawn: on a terminal only. */
export interface ProgressOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Shows how far a long run has come, on a terminal; elsewhere it shows nothing. */
export class ProgressBar {
  readonly #output: ProgressOutput;
  #shown = "";

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  /** @param part done of the whole, 0 to 1; undefined = nobody knows the whole */
  show(what: string, part: number | undefined): void {
    if (this.#output.isTTY !== true) return;
    const text = this.#text(what, part);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#output.write(`\r\u001b[2K${text}`);
  }

  /** Takes it off the screen. */
  clear(): void {
    if (this.#shown !== "") this.#output.write("\r\u001b[2K");
    this.#shown = "";
  }

  /** No longer than the line: what is longer would stay on the screen. */
  #text(what: string, part: number | undefined): string {
    const columns = (this.#output.columns || 80) - 1;
    if (part === undefined) return what.slice(0, columns);
    const done = Math.max(0, Math.min(1, part));
    const label = ` ${Math.floor(100 * done)} % ${what}`;
    const length = Math.min(cells, Math.max(fewestCells, columns - label.length));
    const filled = Math.round(length * done);
    return ("█".repeat(filled) + "░".repeat(length - filled) + label).slice(0, columns);
  }
}
