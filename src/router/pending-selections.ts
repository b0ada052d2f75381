import type { PhaseChoice, Selection } from "./selection.ts";

export interface PendingOptions {
  /** How long a selection waits to be reserved, ms. */
  readonly ttlMs: number;
  /** Most selections that wait. */
  readonly maxEntries: number;
  /** Most memory that they take, bytes; estimated. */
  readonly maxBytes: number;
}

interface Pending {
  readonly selection: Selection;
  readonly bytes: number;
  readonly endsAtMs: number;
}

/** What an entry takes besides its hashes. */
const entryBytes = 512;

/** Selections that were made and not booked, for their caller to reserve by its own id. The oldest go first. */
export class PendingSelections {
  readonly #options: PendingOptions;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #entries = new Map<string, Pending>();
  #bytes = 0;

  /** @param now ms on a monotonic scale */
  constructor(options: PendingOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keeps a selection in place of an earlier one of this key. */
  put(key: string, selection: Selection): void {
    this.remove(key);
    const bytes = bytesOf(key, selection);
    const { ttlMs, maxEntries, maxBytes } = this.#options;
    // One that never fits takes nobody's place.
    if (bytes > maxBytes || maxEntries === 0) return;
    const now = this.#now();
    for (const [oldest, { endsAtMs }] of this.#entries) {
      const fits = this.#entries.size < maxEntries && this.#bytes + bytes <= maxBytes;
      if (fits && endsAtMs > now) break;
      this.remove(oldest);
    }
    this.#entries.set(key, { selection: withoutOthers(selection), bytes, endsAtMs: now + ttlMs });
    this.#bytes += bytes;
  }

  /** The selection, which stays; undefined when it was never made, was used or has waited too long. */
  get(key: string): Selection | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.endsAtMs > this.#now()) return entry?.selection;
    this.remove(key);
    return undefined;
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

/** The other candidates are needed to explain a choice, not to book it, and may be thousands. */
function withoutOthers(selection: Selection): Selection {
  const { answering, prefill } = selection;
  return { ...selection, answering: pickedAlone(answering), prefill: prefill && pickedAlone(prefill) };
}

function pickedAlone(phase: PhaseChoice): PhaseChoice {
  const cost = phase.choice.costs[phase.choice.chosen] ?? Number.NaN;
  return { ...phase, candidates: [phase.picked], choice: { chosen: 0, costs: Float64Array.of(cost) } };
}

function bytesOf(key: string, { subject: { hashes, loadSequence } }: Selection): number {
  const hashBytes = (hashes?.local.byteLength ?? 0) + (hashes?.sequence.byteLength ?? 0);
  return entryBytes + 2 * key.length + hashBytes + (loadSequence?.byteLength ?? 0);
}
