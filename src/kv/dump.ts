import { type HeldBlocks, type StorageTier, tierBits } from "./held-blocks.ts";
import type { Holders } from "./holders.ts";
import type { PrefixTree } from "./prefix-tree.ts";
import type { StoredBlocks } from "./stored-blocks.ts";
import type { U64 } from "./xxh3.ts";

/** One change of a dump. */
export interface DumpedChange {
  readonly slot: number;
  readonly change:
    | { readonly kind: "store"; readonly blocks: StoredBlocks }
    | { readonly kind: "remove"; readonly blockHashes: Uint32Array; readonly tier: StorageTier };
}

/** What a dump reads. */
export interface DumpSource {
  readonly tree: PrefixTree;
  readonly held: HeldBlocks;
  readonly holders: Pick<Holders, "slots">;
  namespaceOf(node: number): string | undefined;
}

/** Most blocks of one run, and most blocks of one run over all its holders: both bound a step. */
const runBlocks = 128;
const stepBlocks = 4_096;
/** Blocks behind a longer hole are left out. */
const longestHole = 4_096;

const tiers = Object.entries(tierBits) as [StorageTier, number][];

/**
 * What an index holds, as changes that give it again when they are applied in order to an empty one; parents come first.
 * A hole in a chain is stored, built on, and removed again. The index may change between two steps: what changes meanwhile
 * is in the dump as it was or as it is. Blocks that wait for their parents are left out. A step is O(4,096 blocks).
 */
export function* dumpChanges(source: DumpSource): Generator<DumpedChange, void, undefined> {
  const { tree } = source;
  const stack = new NodeStack(tree);
  const holes = new Holes(source);
  for (let root = 1; root <= tree.highest; root++) {
    if (tree.parent(root) !== 0 || !tree.isLive(root)) continue;
    stack.push(root);
    for (let first = stack.pop(); first !== 0; first = stack.pop()) {
      const run = runFrom(source, first);
      // Taken before anything is handed out: the index may change from there on.
      const changes = [...changesOf(source, run, holes)];
      stack.pushChildren(run.at(-1) as number);
      yield* changes;
    }
    yield* [...holes.close()];
  }
}

/** Nodes to be visited, named so that one which was dropped meanwhile is noticed. */
class NodeStack {
  readonly #tree: PrefixTree;
  readonly #entries: number[] = [];

  constructor(tree: PrefixTree) {
    this.#tree = tree;
  }

  push(node: number): void {
    this.#entries.push(this.#tree.keyLow(node), this.#tree.keyHigh(node));
  }

  pushChildren(node: number): void {
    for (let child = this.#tree.firstChild(node); child !== 0; child = this.#tree.nextSibling(child)) this.push(child);
  }

  /** The next node that is still there, or 0. */
  pop(): number {
    while (this.#entries.length > 0) {
      const high = this.#entries.pop() as number;
      const low = this.#entries.pop() as number;
      const node = this.#tree.find(low, high);
      if (node !== 0) return node;
    }
    return 0;
  }
}

/** `first` and the blocks after it while they are only children, of one namespace, and in the same tiers of the same holders. */
function runFrom(source: DumpSource, first: number): number[] {
  const { tree } = source;
  const holders = countHolders(source, first);
  const longest = holders === 0 ? 1 : Math.max(1, Math.min(runBlocks, Math.floor(stepBlocks / holders)));
  const run = [first];
  for (let last = first; run.length < longest; ) {
    const child = tree.firstChild(last);
    if (child === 0 || tree.nextSibling(child) !== 0 || !isHeldAlike(source, last, child)) break;
    if (source.namespaceOf(child) !== source.namespaceOf(last)) break;
    run.push(child);
    last = child;
  }
  return run;
}

function countHolders({ tree, held }: DumpSource, node: number): number {
  let count = 0;
  for (let id = tree.firstHolding(node); id !== 0; id = held.nextOfNode(id)) count++;
  return count;
}

function isHeldAlike({ tree, held }: DumpSource, node: number, child: number): boolean {
  let a = tree.firstHolding(node);
  let b = tree.firstHolding(child);
  while (a !== 0 && b !== 0) {
    if (held.holder(a) !== held.holder(b) || held.tiers(a) !== held.tiers(b)) return false;
    a = held.nextOfNode(a);
    b = held.nextOfNode(b);
  }
  return a === b;
}

function* changesOf(source: DumpSource, run: readonly number[], holes: Holes): Generator<DumpedChange> {
  const { tree, held } = source;
  // The lists of all nodes of a run name the same slots in the same order: they are walked side by side.
  const cursors = run.map((node) => tree.firstHolding(node));
  for (; cursors[0] !== 0; advance(cursors, held)) {
    const holding = cursors[0] as number;
    const holder = held.holder(holding);
    const slot = source.holders.slots[holder] as number;
    if (slot < 0) continue;
    const parent = tree.parent(run[0] as number);
    const hole = holes.before(holder, parent);
    if (hole.length > longestHole) continue;
    if (hole.length > 0) yield { slot, change: holes.open(holder, hole) };
    const hashes = Uint32Array.from(cursors.flatMap((id) => [held.low(id), held.high(id)]));
    for (const [tier, bit] of tiers) {
      if ((held.tiers(holding) & bit) === 0) continue;
      yield { slot, change: storeOf(source, run, hashes, { tier, parentHash: holes.nameOf(holder, parent) }) };
    }
  }
}

function advance(cursors: number[], held: HeldBlocks): void {
  for (let i = 0; i < cursors.length; i++) cursors[i] = held.nextOfNode(cursors[i] as number);
}

/**
 * Blocks that a slot does not hold, before blocks that it holds. They are dumped under our sequence hashes, which no block of
 * another content has, for the others to be put behind them, and are then removed again.
 */
class Holes {
  readonly #source: DumpSource;
  /** By holder, then node: its name when it was opened, since a node's number may be given to another one meanwhile. */
  readonly #opened = new Map<number, Map<number, U64>>();

  constructor(source: DumpSource) {
    this.#source = source;
  }

  /** Blocks from `node` up to one that the slot holds or that is opened, in the order of the prompt. */
  before(holder: number, node: number): readonly number[] {
    const { tree, held } = this.#source;
    const nodes: number[] = [];
    for (let at = node; at !== 0 && !this.#isOpened(holder, at); at = tree.parent(at)) {
      if (holdingOf(tree, held, holder, at) !== 0) break;
      nodes.push(at);
      if (nodes.length > longestHole) break;
    }
    return nodes.reverse();
  }

  /** The store of such blocks. */
  open(holder: number, nodes: readonly number[]): DumpedChange["change"] {
    const opened = this.#opened.get(holder) ?? new Map<number, U64>();
    this.#opened.set(holder, opened);
    const names = nodes.map((node) => this.#sequenceHashOf(node));
    nodes.forEach((node, i) => {
      opened.set(node, names[i] as U64);
    });
    const parentHash = this.nameOf(holder, this.#source.tree.parent(nodes[0] as number));
    return storeOf(this.#source, nodes, wordsOf(names), { tier: "device", parentHash });
  }

  /** How the dump names a block before others: undefined = there is none. */
  nameOf(holder: number, node: number): U64 | undefined {
    if (node === 0) return undefined;
    const { tree, held } = this.#source;
    const holding = holdingOf(tree, held, holder, node);
    return holding === 0 ? this.#sequenceHashOf(node) : { low: held.low(holding), high: held.high(holding) };
  }

  /** Removes all that was opened. */
  *close(): Generator<DumpedChange> {
    for (const [holder, names] of this.#opened) {
      const slot = this.#source.holders.slots[holder] as number;
      if (slot < 0) continue;
      yield { slot, change: { kind: "remove", blockHashes: wordsOf([...names.values()]), tier: "device" } };
    }
    this.#opened.clear();
  }

  #isOpened(holder: number, node: number): boolean {
    const name = this.#opened.get(holder)?.get(node);
    return name?.low === this.#source.tree.keyLow(node) && name.high === this.#source.tree.keyHigh(node);
  }

  #sequenceHashOf(node: number): U64 {
    return { low: this.#source.tree.keyLow(node), high: this.#source.tree.keyHigh(node) };
  }
}

function wordsOf(hashes: readonly U64[]): Uint32Array {
  return Uint32Array.from(hashes.flatMap(({ low, high }) => [low, high]));
}

function holdingOf(tree: PrefixTree, held: HeldBlocks, holder: number, node: number): number {
  let id = tree.firstHolding(node);
  while (id !== 0 && held.holder(id) !== holder) id = held.nextOfNode(id);
  return id;
}

function storeOf(
  source: DumpSource,
  nodes: readonly number[],
  blockHashes: Uint32Array,
  rest: Pick<StoredBlocks, "tier" | "parentHash">,
): DumpedChange["change"] {
  const { tree } = source;
  const localHashes = Uint32Array.from(nodes.flatMap((node) => [tree.localLow(node), tree.localHigh(node)]));
  return {
    kind: "store",
    blocks: { blockHashes, localHashes, cacheSalt: source.namespaceOf(nodes[0] as number), ...rest },
  };
}

/** Makes a change of a dump in an index, whose slots may be other ones. O(blocks), at most 4,096 of them. */
export function restoreChange(
  index: {
    store(slot: number, blocks: StoredBlocks): void;
    remove(slot: number, hashes: Uint32Array, tier: StorageTier): void;
  },
  { slot, change }: DumpedChange,
): void {
  if (change.kind === "store") index.store(slot, change.blocks);
  else index.remove(slot, change.blockHashes, change.tier);
}
