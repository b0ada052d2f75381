import type { NativePieces } from "../native-renderer.ts";

/** Writes Kimi K3's markup: its signs are tokens, all else is text whatever it looks like. */
export class Segments {
  readonly #texts: string[] = [];
  readonly #areSigns: boolean[] = [];

  text(text: string): void {
    this.#push(text, false);
  }

  /** What the model takes for an image. */
  image(): void {
    this.#push("<|media_pad|>", true);
  }

  open(tag: string, attributes: readonly (readonly [name: string, value: string])[] = []): void {
    this.#push("<|open|>", true);
    this.text(tag);
    for (const [name, value] of attributes) {
      for (const part of [` ${name}`, '="', escaped(value), '"']) this.text(part);
    }
    this.#push("<|sep|>", true);
  }

  close(tag: string): void {
    this.#push("<|close|>", true);
    this.text(tag);
    this.#push("<|sep|>", true);
  }

  /** Closes a message. */
  closeMessage(): void {
    this.close("message");
    this.#push("<|end_of_msg|>", true);
  }

  pieces(): NativePieces {
    return { pieces: this.#texts, areSigns: this.#areSigns };
  }

  #push(text: string, isSign: boolean): void {
    if (text === "") return;
    this.#texts.push(text);
    this.#areSigns.push(isSign);
  }
}

function escaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
