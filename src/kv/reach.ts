import { type HeldBlocks, tierBits } from "./held-blocks.ts";
import { emptySet, HolderSets } from "./holder-sets.ts";
import type { PrefixTree } from "./prefix-tree.ts";

/**
 * How a holder's run of blocks stands at a node: all up to here in device memory; then some in host memory; then some on disk
 * or beyond; or it has ended before.
 */
const inDevice = 3;
const inHost = 2;
const onDisk = 1;
const ended = 0;

/** Runs as they end: in device memory, in host memory, or anywhere. */
export const runLevels = { device: 0, host: 1, disk: 2 } as const;
export type RunLevel = (typeof runLevels)[keyof typeof runLevels];

/**
 * Knows of every node which holders' runs reach it: a set for each way in which a run can end. Along a path these sets only
 * shrink, which is what lets a search skip. Usually one bit changes with a block; only filling or tearing a hole, or moving an
 * inner block between tiers, spreads to the blocks behind it: `settle` does that. Until it has, searches may go too far or not
 * far enough.
 */
export class Reach {
  readonly sets = new HolderSets();
  readonly #tree: PrefixTree;
  readonly #held: HeldBlocks;
  readonly #capacity: number;
  readonly #device: Uint32Array;
  /** Number + 1 of the wider sets, 0 = as the set before. Only deployments with lower tiers pay for them. */
  #host: Uint32Array | undefined;
  #disk: Uint32Array | undefined;
  /** By holder: nodes that it has and its run does not reach. While there are none, nothing can be behind a new block. */
  readonly #unreached: number[] = [];
  /** Nodes and holders whose runs are to be looked at again. */
  readonly #pending: number[] = [];

  /** @param capacity most nodes */
  constructor(tree: PrefixTree, held: HeldBlocks, capacity: number) {
    this.#tree = tree;
    this.#held = held;
    this.#capacity = capacity;
    this.#device = new Uint32Array(capacity + 1);
  }

  /** True while lower tiers count. */
  get hasLevels(): boolean {
    return this.#host !== undefined;
  }

  /** The set of the holders whose run reaches `node`, up to that level. */
  setOf(node: number, level: RunLevel): number {
    if (level >= runLevels.disk) {
      const disk = this.#disk?.[node] ?? 0;
      if (disk !== 0) return disk - 1;
    }
    if (level >= runLevels.host) {
      const host = this.#host?.[node] ?? 0;
      if (host !== 0) return host - 1;
    }
    return this.#device[node] as number;
  }

  /**
   * The tiers in which `holder` has `node` have changed.
   * @param tiers all of them together, over all its hashes for the block; 0 = it no longer holds it
   * @param wasHeld false for a block that it did not hold before
   */
  update(holder: number, node: number, tiers: number, wasHeld: boolean): void {
    if (tiers > tierBits.device) this.#widen();
    const was = this.#stateOf(node, holder);
    const state = nextState(this.#stateBefore(node, holder), tiers);
    const gone = (wasHeld && was === ended ? 1 : 0) - (tiers !== 0 && state === ended ? 1 : 0);
    if (gone !== 0) this.#unreached[holder] = (this.#unreached[holder] ?? 0) - gone;
    if (was === state) return;
    this.#change(node, holder, was, state);
    // Nothing of a holder's run is behind a block that it did not hold, except beyond a hole.
    if (!wasHeld && (this.#unreached[holder] ?? 0) === 0) return;
    this.#spread(node, holder);
  }

  /** Looks at up to `steps` blocks behind earlier changes. Returns whether all is done. */
  settle(steps: number): boolean {
    const pending = this.#pending;
    for (let done = 0; done < steps && pending.length > 0; done++) {
      const holder = pending.pop() as number;
      const node = pending.pop() as number;
      const before = this.#stateBefore(node, holder);
      const was = this.#stateOf(node, holder);
      const state = before === ended ? ended : nextState(before, this.tiersOf(node, holder));
      if (was === state) continue;
      if (was === ended) this.#unreached[holder] = (this.#unreached[holder] ?? 0) - 1;
      else if (state === ended) this.#unreached[holder] = (this.#unreached[holder] ?? 0) + 1;
      this.#change(node, holder, was, state);
      this.#spread(node, holder);
    }
    return pending.length === 0;
  }

  /** False when `holder` certainly does not have `node`. O(1). */
  mayBeHeld(holder: number, node: number): boolean {
    return (this.#unreached[holder] ?? 0) > 0 || this.#stateOf(node, holder) !== ended;
  }

  /** O(1) while the holder's runs reach all that it has; else O(holders of the node). */
  isHeld(node: number, holder: number): boolean {
    if (this.#stateOf(node, holder) !== ended) return true;
    return (this.#unreached[holder] ?? 0) > 0 && this.tiersOf(node, holder) !== 0;
  }

  /** Tiers in which `holder` has `node`, over all its hashes for it. O(holders of the node). */
  tiersOf(node: number, holder: number): number {
    const held = this.#held;
    let tiers = 0;
    for (let id = this.#tree.firstHolding(node); id !== 0; id = held.nextOfNode(id)) {
      if (held.holder(id) === holder) tiers |= held.tiers(id);
    }
    return tiers;
  }

  /** Gives up the sets of a node that is dropped. */
  forget(node: number): void {
    const { sets } = this;
    sets.release(this.#device[node] as number);
    this.#device[node] = emptySet;
    for (const wider of [this.#host, this.#disk]) {
      if (wider === undefined || wider[node] === 0) continue;
      sets.release((wider[node] as number) - 1);
      wider[node] = 0;
    }
  }

  /** The blocks behind `node` are to be looked at: those that the run reaches, and those that it may reach again. */
  #spread(node: number, holder: number): void {
    const tree = this.#tree;
    for (let child = tree.firstChild(node); child !== 0; child = tree.nextSibling(child)) {
      if (this.isHeld(child, holder)) this.#pending.push(child, holder);
    }
  }

  #widen(): void {
    this.#host ??= new Uint32Array(this.#capacity + 1);
    this.#disk ??= new Uint32Array(this.#capacity + 1);
  }

  #stateBefore(node: number, holder: number): number {
    const parent = this.#tree.parent(node);
    return parent === 0 ? inDevice : this.#stateOf(parent, holder);
  }

  #stateOf(node: number, holder: number): number {
    const { sets } = this;
    if (sets.has(this.#device[node] as number, holder)) return inDevice;
    if (this.#host === undefined) return ended;
    if (sets.has(this.setOf(node, runLevels.host), holder)) return inHost;
    return sets.has(this.setOf(node, runLevels.disk), holder) ? onDisk : ended;
  }

  #change(node: number, holder: number, was: number, state: number): void {
    const { sets } = this;
    const device = this.#device[node] as number;
    if (this.#host === undefined || this.#disk === undefined) {
      const fresh = sets.toggle(device, holder);
      sets.use(fresh);
      sets.release(device);
      this.#device[node] = fresh;
      return;
    }
    const host = this.setOf(node, runLevels.host);
    const disk = this.setOf(node, runLevels.disk);
    const changes = (least: number) => was >= least !== state >= least;
    const freshDevice = changes(inDevice) ? sets.toggle(device, holder) : device;
    const freshHost = changes(inHost) ? sets.toggle(host, holder) : host;
    const freshDisk = changes(onDisk) ? sets.toggle(disk, holder) : disk;
    sets.use(freshDevice);
    if (freshHost !== freshDevice) sets.use(freshHost);
    if (freshDisk !== freshHost) sets.use(freshDisk);
    this.forget(node);
    this.#device[node] = freshDevice;
    this.#host[node] = freshHost === freshDevice ? 0 : freshHost + 1;
    this.#disk[node] = freshDisk === freshHost ? 0 : freshDisk + 1;
  }
}

/** How a run goes on at a block in those tiers. */
function nextState(before: number, tiers: number): number {
  if (before === inDevice && (tiers & tierBits.device) !== 0) return inDevice;
  if (before >= inHost && (tiers & tierBits.host_pinned) !== 0) return inHost;
  if (before >= onDisk && (tiers & (tierBits.disk | tierBits.external)) !== 0) return onDisk;
  return ended;
}
