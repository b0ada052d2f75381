import { childOf, type TokenTrie } from "./token-trie.ts";

/** Finds fixed strings in a text, leftmost first and the longest of those that begin there, as an Aho-Corasick automaton of that kind does. */
export class TokenMatcher {
  /** Of the last match. */
  start = 0;
  end = 0;
  id = -1;
  readonly #trie: TokenTrie;
  readonly #onlyFirst: string | undefined;

  constructor(trie: TokenTrie) {
    this.#trie = trie;
    this.#onlyFirst = trie.onlyFirst < 0 ? undefined : String.fromCharCode(trie.onlyFirst);
  }

  /** Finds the first match in `text` at or after `from`; false when there is none. */
  find(text: string, from: number): boolean {
    for (let index = this.#candidate(text, from); index >= 0; index = this.#candidate(text, index + 1)) {
      if (this.#matchAt(text, index)) return true;
    }
    return false;
  }

  /** As `find`; `units` begin with those of the text. */
  findInBoth(text: string, units: Uint16Array, from: number): boolean {
    return this.#onlyFirst === undefined ? this.findInUnits(units, from, text.length) : this.find(text, from);
  }

  /** As `find`, in `units[from, to)`. */
  findInUnits(units: Uint16Array, from: number, to: number): boolean {
    const { roots } = this.#trie;
    for (let index = from; index < to; index++) {
      if (roots[units[index] as number] !== 0 && this.#matchInUnits(units, index, to)) return true;
    }
    return false;
  }

  #matchInUnits(units: Uint16Array, start: number, to: number): boolean {
    const trie = this.#trie;
    this.id = -1;
    let node = trie.roots[units[start] as number] as number;
    for (let index = start + 1; node !== 0; index++) {
      const id = trie.ids[node] as number;
      if (id >= 0) {
        this.id = id;
        this.end = index;
      }
      node = index < to ? childOf(trie, node, units[index] as number) : 0;
    }
    this.start = start;
    return this.id >= 0;
  }

  #candidate(text: string, from: number): number {
    if (this.#onlyFirst !== undefined) return text.indexOf(this.#onlyFirst, from);
    const { roots } = this.#trie;
    for (let index = from; index < text.length; index++) {
      if (roots[text.charCodeAt(index)] !== 0) return index;
    }
    return -1;
  }

  #matchAt(text: string, start: number): boolean {
    const trie = this.#trie;
    this.id = -1;
    let node = trie.roots[text.charCodeAt(start)] as number;
    for (let index = start + 1; node !== 0; index++) {
      const id = trie.ids[node] as number;
      if (id >= 0) {
        this.id = id;
        this.end = index;
      }
      node = index < text.length ? childOf(trie, node, text.charCodeAt(index)) : 0;
    }
    this.start = start;
    return this.id >= 0;
  }
}
