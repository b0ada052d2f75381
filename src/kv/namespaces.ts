/** Cache namespaces of nodes: each name is kept once, and only as long as a node uses it. */
export class Namespaces {
  readonly #names: (string | undefined)[] = [undefined];
  readonly #uses: number[] = [0];
  readonly #ids = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #capacity: number;
  #ofNode: Uint32Array | undefined;
  #bytes = 0;

  /** @param capacity most nodes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Memory of the names, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True once any node had a namespace. */
  get isUsed(): boolean {
    return this.#ofNode !== undefined;
  }

  get(node: number): string | undefined {
    return this.#names[this.#ofNode?.[node] ?? 0];
  }

  /** Names the namespace of a node that has none. */
  set(node: number, name: string): void {
    // Four bytes a node that only deployments with salts pay for.
    this.#ofNode ??= new Uint32Array(this.#capacity + 1);
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = this.#free.pop() ?? this.#names.length;
      this.#names[id] = name;
      this.#uses[id] = 0;
      this.#ids.set(name, id);
      this.#bytes += bytesOf(name);
    }
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
    this.#ofNode[node] = id;
  }

  /** Forgets the namespace of a dropped node. */
  release(node: number): void {
    const id = this.#ofNode?.[node] ?? 0;
    if (id === 0 || this.#ofNode === undefined) return;
    this.#ofNode[node] = 0;
    const uses = (this.#uses[id] ?? 0) - 1;
    this.#uses[id] = uses;
    if (uses > 0) return;
    const name = this.#names[id] ?? "";
    this.#ids.delete(name);
    this.#bytes -= bytesOf(name);
    this.#names[id] = undefined;
    this.#free.push(id);
  }
}

function bytesOf(name: string): number {
  return 100 + 2 * name.length;
}
