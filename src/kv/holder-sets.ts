/** The set without members. */
export const emptySet = 0;

/** Bytes of a set beside its words: what is kept by number, and the typed array itself. */
const bytesPerSet = 200;

/**
 * Sets of holders, one bit each, kept by number, and as a rule each content only once: the prefixes that one family of
 * workers holds share one. Equal numbers are equal sets; equal sets nearly always have equal numbers. A set lives as long as it
 * is used.
 */
export class HolderSets {
  readonly #bits: (Uint32Array | undefined)[] = [new Uint32Array(0)];
  readonly #uses: number[] = [1];
  readonly #hashA: number[] = [0];
  readonly #hashB: number[] = [0];
  readonly #byHash = new Map<number, number>();
  readonly #free: number[] = [];
  /** The last toggle of each set, since runs of blocks change alike: whom, the result, and whether that is still the same set. */
  readonly #toggled: number[] = [-1];
  readonly #result: number[] = [0];
  readonly #resultBirth: number[] = [0];
  readonly #birth: number[] = [0];
  #bytes = 0;

  /** Memory of all sets, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One bit a holder; not to be changed. */
  bitsOf(set: number): Uint32Array {
    return this.#bits[set] as Uint32Array;
  }

  has(set: number, holder: number): boolean {
    const word = (this.#bits[set] as Uint32Array)[holder >>> 5];
    return word !== undefined && (word & (1 << (holder & 31))) !== 0;
  }

  /** The set that differs from `set` in `holder` only. It is not used yet: call `use`. O(1) for runs of equal changes. */
  toggle(set: number, holder: number): number {
    const known = this.#result[set] as number;
    if (this.#toggled[set] === holder && this.#birth[known] === this.#resultBirth[set]) return known;
    const result = this.#find(set, holder);
    this.#toggled[set] = holder;
    this.#result[set] = result;
    this.#resultBirth[set] = this.#birth[result] as number;
    return result;
  }

  /** The empty set is always there: using it is allowed, and nothing. */
  use(set: number): void {
    if (set === emptySet) return;
    this.#uses[set] = (this.#uses[set] as number) + 1;
  }

  /** Ends one use. Without another the set is given up. */
  release(set: number): void {
    if (set === emptySet) return;
    const uses = (this.#uses[set] as number) - 1;
    this.#uses[set] = uses;
    if (uses > 0) return;
    const key = keyOf(this.#hashA[set] as number, this.#hashB[set] as number);
    if (this.#byHash.get(key) === set) this.#byHash.delete(key);
    this.#bytes -= bytesPerSet + (this.#bits[set] as Uint32Array).byteLength;
    this.#bits[set] = undefined;
    this.#birth[set] = (this.#birth[set] as number) + 1;
    this.#toggled[set] = -1;
    this.#free.push(set);
  }

  #find(set: number, holder: number): number {
    const a = (this.#hashA[set] as number) ^ mixed(holder, 0x9e3779b1);
    const b = (this.#hashB[set] as number) ^ (mixed(holder, 0x85ebca77) & 0x3fffff);
    const key = keyOf(a, b);
    const bits = toggledBits(this.#bits[set] as Uint32Array, holder);
    if (bits.length === 0) return emptySet;
    const known = this.#byHash.get(key);
    if (known !== undefined && isEqual(this.#bits[known] as Uint32Array, bits)) return known;
    const id = this.#free.pop() ?? this.#bits.length;
    this.#bits[id] = bits;
    this.#uses[id] = 0;
    this.#hashA[id] = a;
    this.#hashB[id] = b;
    this.#toggled[id] = -1;
    this.#result[id] = 0;
    this.#resultBirth[id] = 0;
    this.#birth[id] ??= 0;
    this.#bytes += bytesPerSet + bits.byteLength;
    if (known === undefined) this.#byHash.set(key, id);
    return id;
  }
}

/** Without trailing zero words, so that equal sets have equal arrays. */
function toggledBits(bits: Uint32Array, holder: number): Uint32Array {
  const at = holder >>> 5;
  const out = new Uint32Array(Math.max(bits.length, at + 1));
  out.set(bits);
  out[at] = (out[at] as number) ^ (1 << (holder & 31));
  let length = out.length;
  while (length > 0 && out[length - 1] === 0) length--;
  return length === out.length ? out : out.slice(0, length);
}

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** 31 bits, so that they stay small integers. */
function mixed(holder: number, salt: number): number {
  let h = Math.imul(holder + 1, salt);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) & 0x7fffffff;
}

function keyOf(a: number, b: number): number {
  return a * 0x400000 + b;
}
