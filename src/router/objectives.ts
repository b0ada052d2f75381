/** Priorities by the name of an objective: those of the settings, and those that are discovered while the picker runs. */
export class Objectives {
  readonly #configured: ReadonlyMap<string, number>;
  #discovered: ReadonlyMap<string, number> = new Map();

  /** @param configured they win over discovered ones of the same name */
  constructor(configured: ReadonlyMap<string, number>) {
    this.#configured = configured;
  }

  get(name: string): number | undefined {
    return this.#configured.get(name) ?? this.#discovered.get(name);
  }

  /** All that are discovered by now. */
  discovered(priorities: ReadonlyMap<string, number>): void {
    this.#discovered = priorities;
  }
}
