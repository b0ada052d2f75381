import type { CacheBudget } from "./cache-budget.ts";

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** A cache by text in two generations: entries that are used move to the young one, the old one is dropped as a whole. */
export class GenerationMap<Value> {
  #young = new Map<string, Entry<Value>>();
  #old = new Map<string, Entry<Value>>();
  #generation: number;
  readonly #budget: CacheBudget;

  constructor(budget: CacheBudget) {
    this.#budget = budget;
    this.#generation = budget.generation;
  }

  get(key: string): Value | undefined {
    this.#catchUp();
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.#keep(key, old);
    return old.value;
  }

  /**
   * @param key a string that owns its characters: a slice would keep its parent alive
   * @param bytes what key and value take
   */
  set(key: string, value: Value, bytes: number): void {
    this.#keep(key, { value, bytes });
  }

  #keep(key: string, entry: Entry<Value>): void {
    this.#budget.charge(entry.bytes);
    this.#catchUp();
    this.#young.set(key, entry);
  }

  #catchUp(): void {
    const behind = this.#budget.generation - this.#generation;
    if (behind === 0) return;
    this.#old = behind === 1 ? this.#young : new Map();
    this.#young = new Map();
    this.#generation = this.#budget.generation;
  }
}
