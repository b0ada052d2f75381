/** A request that waits. */
export interface Waiting {
  /** Higher goes first. */
  readonly priority: number;
  /** Requests of one flow go in order, flows of one priority in turn. */
  readonly flow: string;
}

/** Waiting requests by priority, in it by flow in turn, in a flow in order of arrival. */
export class FlowQueue<Entry extends Waiting> {
  /** Highest priority first. */
  readonly #bands: Band<Entry>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The bands, highest priority first; not to be changed while they are gone through but by `remove`. */
  bands(): readonly Band<Entry>[] {
    return [...this.#bands];
  }

  add(entry: Entry): void {
    this.#bandOf(entry.priority).add(entry);
    this.#size++;
  }

  /** @returns false when it does not wait */
  remove(entry: Entry): boolean {
    const at = this.#bands.findIndex(({ priority }) => priority === entry.priority);
    const band = this.#bands[at];
    if (band === undefined || !band.remove(entry)) return false;
    this.#size--;
    if (band.isEmpty) this.#bands.splice(at, 1);
    return true;
  }

  /** The last of the lowest priority, if that is below `priority`: of its longest flow, who has to leave when there is no room. */
  leastImportant(priority: number): Entry | undefined {
    const lowest = this.#bands.at(-1);
    return lowest !== undefined && lowest.priority < priority ? lowest.last() : undefined;
  }

  #bandOf(priority: number): Band<Entry> {
    let at = 0;
    for (const band of this.#bands) {
      if (band.priority === priority) return band;
      if (band.priority < priority) break;
      at++;
    }
    const band = new Band<Entry>(priority);
    this.#bands.splice(at, 0, band);
    return band;
  }
}

/** The waiting requests of one priority. */
export class Band<Entry extends Waiting> {
  readonly priority: number;
  /** Whose turn is next comes first. */
  readonly #flows = new Map<string, Set<Entry>>();

  constructor(priority: number) {
    this.priority = priority;
  }

  get isEmpty(): boolean {
    return this.#flows.size === 0;
  }

  get flowCount(): number {
    return this.#flows.size;
  }

  add(entry: Entry): void {
    const flow = this.#flows.get(entry.flow);
    if (flow === undefined) this.#flows.set(entry.flow, new Set([entry]));
    else flow.add(entry);
  }

  remove(entry: Entry): boolean {
    const flow = this.#flows.get(entry.flow);
    if (flow?.delete(entry) !== true) return false;
    if (flow.size === 0) this.#flows.delete(entry.flow);
    return true;
  }

  /** The first request of the flow whose turn it is; that flow is last in turn then. */
  takeTurn(): Entry | undefined {
    for (const [name, flow] of this.#flows) {
      this.#flows.delete(name);
      this.#flows.set(name, flow);
      const [first] = flow;
      return first;
    }
    return undefined;
  }

  some(matches: (entry: Entry) => boolean): boolean {
    for (const flow of this.#flows.values()) for (const entry of flow) if (matches(entry)) return true;
    return false;
  }

  /** The last request of the flow with the most. */
  last(): Entry | undefined {
    let longest: Set<Entry> | undefined;
    for (const flow of this.#flows.values()) if (longest === undefined || flow.size > longest.size) longest = flow;
    return longest && [...longest].at(-1);
  }
}
