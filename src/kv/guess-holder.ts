import type { GuessedRun } from "./guessed-run.ts";

/** Leading blocks of a run that one slot is guessed to hold. */
export class RunHolding {
  readonly holder: GuessHolder;
  run: GuessedRun;
  #parent: RunHolding | undefined;
  #children: Set<RunHolding> | undefined;
  /** Blocks, 1 to the run's length. */
  length = 0;
  /** Tick at which it ends. */
  endsAt = 0;
  older: RunHolding | undefined;
  newer: RunHolding | undefined;
  /** By block: 1 for one that an event has proved right. */
  confirmed: Uint8Array | undefined;

  constructor(holder: GuessHolder, run: GuessedRun, parent: RunHolding | undefined) {
    this.holder = holder;
    this.run = run;
    this.parent = parent;
  }

  /** Of the run before; it is held in full. */
  get parent(): RunHolding | undefined {
    return this.#parent;
  }

  set parent(parent: RunHolding | undefined) {
    if (this.#parent !== undefined) this.#parent.#children?.delete(this);
    this.#parent = parent;
    if (parent === undefined) return;
    parent.#children ??= new Set();
    parent.#children.add(this);
  }

  /** Whether the slot holds nothing that follows the run. */
  get isDeepest(): boolean {
    return (this.#children?.size ?? 0) === 0;
  }

  /** This holding and all that follow it, each after the one that it follows. */
  withFollowers(): readonly RunHolding[] {
    const found: RunHolding[] = [this];
    for (let at = 0; at < found.length; at++) found.push(...((found[at] as RunHolding).#children ?? []));
    return found;
  }
}

/**
 * What one slot is guessed to hold, from the least to the most recently used. What follows a run is never more recently used than the
 * run: the oldest holding is the deepest of its prompt.
 */
export class GuessHolder {
  readonly slot: number;
  blocks = 0;
  /** Whether the slot no longer holds any of it: what is left is about to be forgotten. */
  isGone = false;
  oldest: RunHolding | undefined;
  newest: RunHolding | undefined;
  /** Holdings by the keys of their blocks, once events have told about the slot. */
  places: Map<number, RunHolding> | undefined;

  constructor(slot: number) {
    this.slot = slot;
  }

  /** Makes a holding the most recently used one, whether it is listed or not. */
  touch(holding: RunHolding): void {
    if (this.newest === holding) return;
    if (holding.newer !== undefined) this.unlink(holding);
    holding.older = this.newest;
    if (this.newest === undefined) this.oldest = holding;
    else this.newest.newer = holding;
    this.newest = holding;
  }

  /** Lists a holding right behind one that is listed. */
  insertNewerThan(listed: RunHolding, holding: RunHolding): void {
    holding.older = listed;
    holding.newer = listed.newer;
    if (listed.newer === undefined) this.newest = holding;
    else listed.newer.older = holding;
    listed.newer = holding;
  }

  unlink(holding: RunHolding): void {
    const { older, newer } = holding;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
    holding.older = undefined;
    holding.newer = undefined;
  }

  /** Begins to know where each block is. */
  index(): Map<number, RunHolding> {
    const places = new Map<number, RunHolding>();
    this.places = places;
    for (let holding = this.oldest; holding !== undefined; holding = holding.newer) {
      this.place(holding, 0, holding.length);
    }
    return places;
  }

  /** The blocks [from, to) of a run are this holding's. */
  place(holding: RunHolding, from: number, to: number): void {
    if (this.places === undefined) return;
    for (let block = from; block < to; block++) this.places.set(holding.run.keyAt(block), holding);
  }

  /** The blocks [from, to) of a holding are held no more. */
  displace({ run }: RunHolding, from: number, to: number): void {
    if (this.places === undefined) return;
    for (let block = from; block < to; block++) this.places.delete(run.keyAt(block));
  }
}
