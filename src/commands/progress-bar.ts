import type { Writable } from "node:stream";

const cells = 30;

/** Shows how far a long run has come, on a terminal; elsewhere it shows nothing. */
export class ProgressBar {
  readonly #output: Writable & { readonly isTTY?: boolean };

  constructor(output: Writable & { readonly isTTY?: boolean }) {
    this.#output = output;
  }

  /** @param part done of the whole, 0 to 1 */
  show(what: string, part: number): void {
    if (this.#output.isTTY !== true) return;
    const done = Math.max(0, Math.min(1, part));
    const filled = Math.round(cells * done);
    const bar = "█".repeat(filled) + "░".repeat(cells - filled);
    this.#output.write(`\r\u001b[2K${bar} ${Math.floor(100 * done)} % ${what}`);
  }

  /** Takes it off the screen. */
  clear(): void {
    if (this.#output.isTTY === true) this.#output.write("\r\u001b[2K");
  }
}
