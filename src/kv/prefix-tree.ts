import { RecordTable, recordWords } from "./record-table.ts";

const parentWord = 3;
const firstChildWord = 4;
const nextSiblingWord = 5;
const previousSiblingWord = 6;
const firstHoldingWord = 7;

/**
 * The prefixes that anyone holds: one node a block, named by its sequence hash, child of the block before it. Node ids are from
 * 1; 0 stands for "before the first block".
 */
export class PrefixTree {
  readonly #table: RecordTable;
  readonly #words: Uint32Array;
  readonly #locals: Uint32Array;

  /** @param capacity most nodes */
  constructor(capacity: number) {
    this.#table = new RecordTable(capacity, 0);
    this.#words = this.#table.words;
    this.#locals = new Uint32Array(2 * (capacity + 1));
  }

  get count(): number {
    return this.#table.count;
  }

  get isFull(): boolean {
    return this.#table.isFull;
  }

  /** Highest node id ever given out. */
  get highest(): number {
    return this.#table.highest;
  }

  /** False for an id that was given back. */
  isLive(node: number): boolean {
    return this.#table.find(this.keyLow(node), this.keyHigh(node), 0) === node;
  }

  /** Node of a sequence hash, or 0. */
  find(low: number, high: number): number {
    return this.#table.find(low, high, 0);
  }

  /** Brings near what `find` and `add` will read of these sequence hashes. */
  prefetch(sequence: Uint32Array): void {
    this.#table.prefetch(sequence, 0);
  }

  /** Adds a node under `parent` (0 = first block). The tree must not be full. */
  add(low: number, high: number, parent: number): number {
    const id = this.#table.insert(low, high, 0);
    const words = this.#words;
    const at = id * recordWords;
    words[at + parentWord] = parent;
    if (parent === 0) return id;
    const parentAt = parent * recordWords;
    const sibling = words[parentAt + firstChildWord] as number;
    words[at + nextSiblingWord] = sibling;
    if (sibling !== 0) words[sibling * recordWords + previousSiblingWord] = id;
    words[parentAt + firstChildWord] = id;
    return id;
  }

  /** Drops `node` and then every ancestor that is left without holdings and children. */
  prune(node: number, onDrop: (node: number) => void): void {
    const words = this.#words;
    let id = node;
    while (id !== 0) {
      const at = id * recordWords;
      if (words[at + firstHoldingWord] !== 0 || words[at + firstChildWord] !== 0) return;
      const parent = words[at + parentWord] as number;
      if (parent !== 0) this.#unlink(at, parent);
      onDrop(id);
      this.#table.delete(id);
      id = parent;
    }
  }

  keyLow(node: number): number {
    return this.#words[node * recordWords] as number;
  }

  keyHigh(node: number): number {
    return this.#words[node * recordWords + 1] as number;
  }

  /** Hash of the block's own tokens: what a dump has to name. */
  localLow(node: number): number {
    return this.#locals[2 * node] as number;
  }

  localHigh(node: number): number {
    return this.#locals[2 * node + 1] as number;
  }

  setLocal(node: number, low: number, high: number): void {
    this.#locals[2 * node] = low;
    this.#locals[2 * node + 1] = high;
  }

  parent(node: number): number {
    return this.#words[node * recordWords + parentWord] as number;
  }

  firstChild(node: number): number {
    return this.#words[node * recordWords + firstChildWord] as number;
  }

  nextSibling(node: number): number {
    return this.#words[node * recordWords + nextSiblingWord] as number;
  }

  /** Head of the node's list of holdings; the list itself belongs to the holdings. */
  firstHolding(node: number): number {
    return this.#words[node * recordWords + firstHoldingWord] as number;
  }

  setFirstHolding(node: number, holding: number): void {
    this.#words[node * recordWords + firstHoldingWord] = holding;
  }

  #unlink(at: number, parent: number): void {
    const words = this.#words;
    const next = words[at + nextSiblingWord] as number;
    const previous = words[at + previousSiblingWord] as number;
    if (next !== 0) words[next * recordWords + previousSiblingWord] = previous;
    if (previous !== 0) words[previous * recordWords + nextSiblingWord] = next;
    else words[parent * recordWords + firstChildWord] = next;
  }
}
