interface Node {
  readonly children: Map<number, Node>;
  /** Id of the token that ends here, -1 for none. */
  id: number;
}

/** Finds fixed strings in a text, leftmost first and the longest of those that begin there, as an Aho-Corasick automaton of that kind does. */
export class TokenMatcher {
  /** Of the last match. */
  start = 0;
  end = 0;
  id = -1;
  readonly #root: Node = newNode();
  readonly #onlyFirst: string | undefined;
  /** 1 for the units that begin a token. */
  readonly #begins = new Uint8Array(0x1_0000);

  /** @param tokens distinct and not empty */
  constructor(tokens: Iterable<readonly [string, number]>) {
    for (const [token, id] of tokens) this.#add(token, id);
    const [first, ...others] = this.#root.children.keys();
    for (const unit of this.#root.children.keys()) this.#begins[unit] = 1;
    this.#onlyFirst = first !== undefined && others.length === 0 ? String.fromCharCode(first) : undefined;
  }

  /** Finds the first match in `text` at or after `from`; false when there is none. */
  find(text: string, from: number): boolean {
    for (let index = this.#candidate(text, from); index >= 0; index = this.#candidate(text, index + 1)) {
      if (this.#matchAt(text, index)) return true;
    }
    return false;
  }

  #candidate(text: string, from: number): number {
    if (this.#onlyFirst !== undefined) return text.indexOf(this.#onlyFirst, from);
    const begins = this.#begins;
    for (let index = from; index < text.length; index++) {
      if (begins[text.charCodeAt(index)] === 1) return index;
    }
    return -1;
  }

  #matchAt(text: string, start: number): boolean {
    let node: Node | undefined = this.#root;
    this.id = -1;
    for (let index = start; index < text.length; ) {
      node = node.children.get(text.charCodeAt(index));
      if (node === undefined) break;
      index++;
      if (node.id < 0) continue;
      this.id = node.id;
      this.end = index;
    }
    this.start = start;
    return this.id >= 0;
  }

  #add(token: string, id: number): void {
    let node = this.#root;
    for (let index = 0; index < token.length; index++) {
      const unit = token.charCodeAt(index);
      let child = node.children.get(unit);
      if (child === undefined) {
        child = newNode();
        node.children.set(unit, child);
      }
      node = child;
    }
    node.id = id;
  }
}

function newNode(): Node {
  return { children: new Map(), id: -1 };
}
