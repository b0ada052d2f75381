import { createHash } from "node:crypto";
import type { Catalogue, WorkerRank } from "../fleet/index.ts";

/** The names under which replicas speak of a catalogue's ranks, each with its own slots. From construction to `close`. */
export class RankNames {
  readonly #slots = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #unsubscribe: () => void;

  /** @param removed told the name and the slot of each rank that goes away */
  constructor(catalogue: Catalogue, removed: (name: string, slot: number) => void) {
    this.#unsubscribe = catalogue.subscribe({
      onAdded: (rank) => this.#add(rank),
      onRemoved: ({ slot }) => {
        const name = this.#names[slot];
        this.#names[slot] = undefined;
        if (name === undefined || this.#slots.get(name) !== slot) return;
        this.#slots.delete(name);
        removed(name, slot);
      },
    });
    for (const { ranks } of catalogue.workers()) for (const rank of ranks) this.#add(rank);
  }

  /** Undefined when there is no such rank here. */
  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  /** Undefined when the slot is free. */
  nameOf(slot: number): string | undefined {
    return this.#names[slot];
  }

  /** The slots in use. */
  slots(): IterableIterator<number> {
    return this.#slots.values();
  }

  close(): void {
    this.#unsubscribe();
  }

  #add(rank: WorkerRank): void {
    const name = nameOfRank(rank);
    this.#slots.set(name, rank.slot);
    while (this.#names.length < rank.slot) this.#names.push(undefined);
    this.#names[rank.slot] = name;
  }
}

/**
 * The same for a rank on every replica that has it, another for a worker of the same id that is another incarnation, or is
 * elsewhere: its load is not that of the one before.
 */
export function nameOfRank({ worker, dpRank }: WorkerRank): string {
  const { id, incarnation, endpoint, isCallerAddressed } = worker;
  const place = isCallerAddressed === true ? "" : endpoint;
  const digest = createHash("sha256").update(`${incarnation}\n${place}`).digest("base64url").slice(0, 11);
  return `${id}.${dpRank}.${digest}`;
}
