import type { RankLoad } from "./admission/thresholds.ts";

const none: RankLoad = { requests: 0, prefillTokens: 0, decodeBlocks: 0 };

/**
 * What the other replicas of the picker have booked, by replica and slot, and its sum by slot. Reads are O(1), so that a pick
 * costs the same with any number of replicas.
 */
export class SiblingLoads {
  readonly #bySibling = new Map<string, Map<number, RankLoad>>();
  readonly #sums: (RankLoad | undefined)[] = [];
  readonly #fellListeners = new Set<() => void>();
  #unheardOn: (slot: number) => RankLoad = () => none;
  #requests = 0;

  /** Requests of all siblings on all slots. */
  get requests(): number {
    return this.#requests;
  }

  /** @param unheardOn guesses what they are booking on a slot at this moment and was not heard yet; whole numbers >= 0 */
  guessUnheard(unheardOn: (slot: number) => RankLoad): void {
    this.#unheardOn = unheardOn;
  }

  /** As `on`, with what is guessed of bookings that were not heard yet. */
  likelyOn(slot: number): RankLoad {
    const heard = this.on(slot);
    const unheard = this.#unheardOn(slot);
    if (isIdle(unheard)) return heard;
    return {
      requests: heard.requests + unheard.requests,
      prefillTokens: heard.prefillTokens + unheard.prefillTokens,
      decodeBlocks: heard.decodeBlocks + unheard.decodeBlocks,
    };
  }

  /** Sum over the siblings; zeros where they have booked nothing. */
  on(slot: number): RankLoad {
    return this.#sums[slot] ?? none;
  }

  /** Totals of one sibling by slot; slots on which it has booked nothing are not there. */
  of(sibling: string): ReadonlyMap<number, RankLoad> {
    return this.#bySibling.get(sibling) ?? new Map();
  }

  /** Takes the totals of a sibling on a slot in place of those of before. @param load whole numbers >= 0 */
  set(sibling: string, slot: number, load: RankLoad): void {
    const slots = this.#slotsOf(sibling);
    const before = slots.get(slot) ?? none;
    if (isIdle(load)) slots.delete(slot);
    else slots.set(slot, load);
    this.#add(slot, load, before);
    if (isLess(load, before)) this.#tellFell();
  }

  /** Forgets all that a sibling has booked. */
  dropSibling(sibling: string): void {
    const slots = this.#bySibling.get(sibling);
    this.#bySibling.delete(sibling);
    if (slots === undefined || slots.size === 0) return;
    for (const [slot, load] of slots) this.#add(slot, none, load);
    this.#tellFell();
  }

  /** Forgets what was booked on a rank that went away. */
  removeSlot(slot: number): void {
    for (const slots of this.#bySibling.values()) slots.delete(slot);
    this.#requests -= this.on(slot).requests;
    this.#sums[slot] = undefined;
  }

  /** Told after each fall of any rank's load. Must not wait. @returns unsubscribes */
  onLoadFell(listener: () => void): () => void {
    this.#fellListeners.add(listener);
    return () => this.#fellListeners.delete(listener);
  }

  #slotsOf(sibling: string): Map<number, RankLoad> {
    const known = this.#bySibling.get(sibling);
    if (known !== undefined) return known;
    const slots = new Map<number, RankLoad>();
    this.#bySibling.set(sibling, slots);
    return slots;
  }

  #add(slot: number, load: RankLoad, before: RankLoad): void {
    const sum = this.on(slot);
    this.#requests += load.requests - before.requests;
    while (this.#sums.length < slot) this.#sums.push(undefined);
    this.#sums[slot] = {
      requests: sum.requests + load.requests - before.requests,
      prefillTokens: sum.prefillTokens + load.prefillTokens - before.prefillTokens,
      decodeBlocks: sum.decodeBlocks + load.decodeBlocks - before.decodeBlocks,
    };
  }

  #tellFell(): void {
    for (const listener of this.#fellListeners) listener();
  }
}

function isIdle({ requests, prefillTokens, decodeBlocks }: RankLoad): boolean {
  return requests === 0 && prefillTokens === 0 && decodeBlocks === 0;
}

function isLess(load: RankLoad, before: RankLoad): boolean {
  return (
    load.requests < before.requests ||
    load.prefillTokens < before.prefillTokens ||
    load.decodeBlocks < before.decodeBlocks
  );
}
