/** A client's headers by their lower-case names, as they came. */
export class ClientLines {
  readonly #raw: readonly string[];

  /** @param raw names and values in turn */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(lowerName: string): string | undefined {
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      const name = this.#raw[at] as string;
      if (name.length === lowerName.length && name.toLowerCase() === lowerName) return this.#raw[at + 1];
    }
    return undefined;
  }

  /** Those of these names, for the request of the processor. */
  only(names: readonly string[]): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of names) {
      const value = this.get(name);
      if (value !== undefined) found[name] = value;
    }
    return found;
  }
}
