/** What a list entry must carry; the list owns these two fields. */
export interface EvictionLinks<Entry> {
  previous: Entry | undefined;
  next: Entry | undefined;
}

/** Blocks that nobody uses, in the order in which they will be evicted. Every operation is O(1). */
export class EvictionList<Entry extends EvictionLinks<Entry>> {
  #first: Entry | undefined;
  #last: Entry | undefined;
  #size = 0;

  /** Entries in the list. */
  get size(): number {
    return this.#size;
  }

  /** Adds an entry that is in no list; it will be evicted after all that are in this one. */
  add(entry: Entry): void {
    entry.previous = this.#last;
    entry.next = undefined;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    this.#size += 1;
  }

  /** Takes out an entry of this list. */
  remove(entry: Entry): void {
    if (entry.previous === undefined) this.#first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) this.#last = entry.previous;
    else entry.next.previous = entry.previous;
    entry.previous = undefined;
    entry.next = undefined;
    this.#size -= 1;
  }

  /** Takes out the entry that has waited longest. */
  shift(): Entry | undefined {
    const first = this.#first;
    if (first !== undefined) this.remove(first);
    return first;
  }
}
