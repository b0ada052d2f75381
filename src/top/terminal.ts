import type { ReadStream, WriteStream } from "node:tty";
import type { Canvas } from "./canvas.ts";
import { frameText } from "./frame.ts";
import { type Key, KeyReader } from "./keys.ts";
import type { Size } from "./screen.ts";

/** Another screen, no cursor, no wrapping at the right edge. */
const enterText = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leaveText = "\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l";
/** Longest time between the parts of a key's sequence, ms. */
const sequenceWaitMs = 50;
/** Terminals are not larger; what says so is wrong, and would cost memory. */
const maxColumns = 1_000;
const maxRows = 500;

/** What a terminal tells. */
export interface TerminalEvents {
  /** What was pressed together, as text is that is pasted: one or more. */
  keys(keys: readonly Key[]): void;
  /** Its size has changed, or it can be written to again: what is there is to be drawn again. */
  changed(): void;
  /** It is gone. */
  lost(): void;
}

/** A terminal that is drawn on as a whole, and left as it was found. */
export class Terminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #hasColours: boolean;
  readonly #events: TerminalEvents;
  readonly #keys = new KeyReader();
  #keyTimer: NodeJS.Timeout | undefined;
  /** What it shows; undefined = not known. */
  #shown: Canvas | undefined;
  #isEntered = false;
  #isBlocked = false;

  constructor(input: ReadStream, output: WriteStream, hasColours: boolean, events: TerminalEvents) {
    this.#input = input;
    this.#output = output;
    this.#hasColours = hasColours;
    this.#events = events;
  }

  /** Where the terminal does not say how large it is: 80 x 24. */
  get size(): Size {
    return {
      columns: Math.min(maxColumns, this.#output.columns || 80),
      rows: Math.min(maxRows, this.#output.rows || 24),
    };
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#shown = undefined;
    this.#input.setEncoding("utf8");
    // Those of errors stayed when it was left.
    this.#input.off("error", this.#onLost).on("error", this.#onLost);
    this.#output.off("error", this.#onLost).on("error", this.#onLost);
    this.#input.on("data", this.#onData).on("end", this.#onLost);
    this.#output.on("resize", this.#onResize).on("drain", this.#onDrain);
    this.#input.setRawMode(true);
    this.#input.resume();
    this.#output.write(enterText);
  }

  /** Gives it back as it was. Does nothing when that was done already. */
  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    clearTimeout(this.#keyTimer);
    this.#input.off("data", this.#onData).off("end", this.#onLost);
    this.#output.off("resize", this.#onResize).off("drain", this.#onDrain);
    this.#input.pause();
    // Errors of a terminal that is gone have nowhere to be told: their listeners stay.
    if (!this.#output.destroyed) this.#output.write(leaveText);
    if (!this.#input.destroyed) this.#input.setRawMode(false);
  }

  /** Shows a canvas: what differs from what is shown, in one write. While the terminal takes nothing, nothing is written. */
  show(canvas: Canvas): void {
    if (!this.#isEntered || this.#isBlocked) return;
    const text = frameText(this.#shown, canvas, this.#hasColours);
    this.#shown = canvas;
    if (text !== "") this.#isBlocked = !this.#output.write(text);
  }

  /** Whatever is on the screen was drawn by somebody else. */
  forget(): void {
    this.#shown = undefined;
  }

  readonly #onData = (text: string | Buffer): void => {
    clearTimeout(this.#keyTimer);
    this.#tell(this.#keys.push(String(text)));
    if (this.#keys.isWaiting) this.#keyTimer = setTimeout(() => this.#tell(this.#keys.flush()), sequenceWaitMs);
  };

  readonly #onResize = (): void => {
    this.forget();
    this.#events.changed();
  };

  readonly #onDrain = (): void => {
    this.#isBlocked = false;
    this.#events.changed();
  };

  readonly #onLost = (): void => {
    this.#events.lost();
  };

  #tell(keys: readonly Key[]): void {
    if (keys.length > 0) this.#events.keys(keys);
  }
}
