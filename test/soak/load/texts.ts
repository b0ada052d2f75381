import { prose } from "../../support/load/index.ts";

/** Prose of about a million characters, made once: long texts are cut out of it. */
export class Texts {
  readonly #random: () => number;
  readonly #long: string;

  constructor(random: () => number) {
    this.#random = random;
    this.#long = prose(170_000, random);
  }

  words(count: number): string {
    return prose(count, this.#random);
  }

  /** About so many bytes that nobody has had in this order. */
  bytes(count: number): string {
    const parts: string[] = [];
    for (let left = count; left > 0; ) {
      const length = Math.min(left, 2_000 + Math.floor(this.#random() * 30_000));
      const start = Math.floor(this.#random() * (this.#long.length - length));
      parts.push(this.#long.slice(start, start + length));
      left -= length;
    }
    return parts.join(" ");
  }
}
