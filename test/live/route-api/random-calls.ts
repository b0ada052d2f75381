/** One call of the API, as a random sequence has it. */
export interface RandomCall {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What an engine is made to publish. */
export interface RandomEvents {
  readonly worker: number;
  readonly dpRank: number;
  /** Prompt and number of its leading blocks that the worker gets. */
  readonly family: number;
  readonly blocks: number;
}

/** Uniform in [0,1), the same for the same seed. Source: mulberry32, in the public domain. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const blockSize = 4;
const families = 6;
const longest = 40;

/** Token `i` of a family of prompts: families share their first eight tokens. */
export function tokenOf(family: number, i: number): number {
  return i < 8 ? i + 1 : 1_000 * (family + 1) + i;
}

/** Makes calls that mean something: ids that are held, workers that are there, prompts that meet. */
export class RandomCalls {
  readonly #random: () => number;
  readonly #held = new Set<string>();
  readonly #kept = new Set<string>();
  readonly #workers: ReadonlySet<number>;
  #nextId = 0;

  /** @param workers ids that may be there */
  constructor(random: () => number, workers: readonly number[]) {
    this.#random = random;
    this.#workers = new Set(workers);
  }

  events(): RandomEvents {
    return {
      worker: this.#one([...this.#workers]),
      dpRank: 0,
      family: this.#upTo(families),
      blocks: 1 + this.#upTo(longest / blockSize),
    };
  }

  next(): RandomCall {
    const kind = this.#random();
    if (kind < 0.2) return { method: "POST", path: "/select", body: this.#selection(this.#someId(this.#kept)) };
    if (kind < 0.45)
      return { method: "POST", path: "/select_and_reserve", body: this.#selection(this.#newId(this.#held)) };
    if (kind < 0.5) return this.#replay();
    if (kind < 0.56) return this.#explicit();
    if (kind < 0.66) return this.#lifecycle("POST", "/prefill_complete");
    if (kind < 0.74)
      return this.#lifecycle("POST", "/output_block", this.#random() < 0.5 ? {} : { decay_fraction: this.#fraction() });
    if (kind < 0.84) return this.#release();
    if (kind < 0.88)
      return {
        method: "POST",
        path: "/potential_loads",
        body: { ...this.#prompt(), ...this.#maybe(0.3, this.#overrides()) },
      };
    if (kind < 0.91) return { method: "POST", path: "/overlap_scores", body: this.#prompt() };
    if (kind < 0.96) return this.#patch();
    return this.#oddity();
  }

  /** What a call's success means for later ones. */
  noteAnswer(call: RandomCall, status: number): void {
    const id = call.body?.["selection_id"];
    if (typeof id !== "string" || status >= 300) return;
    if (call.path === "/select") this.#kept.add(id);
    else this.#held.add(id);
  }

  #selection(id: string | undefined): Record<string, unknown> {
    return {
      ...this.#prompt(),
      ...(id === undefined ? {} : { selection_id: id }),
      ...this.#maybe(0.15, { allowed_worker_ids: this.#someWorkers() }),
      ...this.#maybe(0.1, { pinned_worker: { worker_id: this.#one([...this.#workers, 99]), dp_rank: this.#upTo(2) } }),
      ...this.#maybe(0.1, { affinity_target: { worker_id: this.#one([...this.#workers, 99]) } }),
      ...this.#maybe(0.15, { routing_constraints: this.#constraints() }),
      ...this.#maybe(0.3, this.#overrides()),
      ...this.#maybe(0.1, { expected_output_tokens: this.#upTo(500) }),
    };
  }

  #prompt(): Record<string, unknown> {
    const family = this.#upTo(families);
    const tokens = Array.from({ length: this.#upTo(longest + 1) }, (_, i) => tokenOf(family, i));
    return {
      token_ids: tokens,
      ...this.#maybe(0.05, { cache_salt: "salt" }),
      ...this.#maybe(0.05, { lora_name: "adapter" }),
      ...this.#maybe(0.05, { is_eagle: this.#random() < 0.5 }),
    };
  }

  #constraints(): Record<string, unknown> {
    return {
      ...this.#maybe(0.4, { required_taints: [this.#one(["fast", "big", "none"])] }),
      ...this.#maybe(0.6, { preferred_taints: { fast: this.#one([0.5, -1, 3]), big: 0.25 } }),
    };
  }

  #overrides(): Record<string, unknown> {
    return {
      router_config_override: {
        ...this.#maybe(0.4, { overlap_score_credit: this.#one([0, 0.5, 2]) }),
        ...this.#maybe(0.3, { prefill_load_scale: this.#one([0, 0.5, 3]) }),
        ...this.#maybe(0.15, { overlap_score_weight: this.#one([0, 2]) }),
        ...this.#maybe(0.25, { track_prefill_tokens: this.#random() < 0.5 }),
        ...this.#maybe(0.25, { assume_kv_reuse: this.#random() < 0.5 }),
      },
    };
  }

  #replay(): RandomCall {
    const id = this.#someId(this.#kept) ?? "never-selected";
    this.#kept.delete(id);
    return { method: "POST", path: "/reservations", body: { selection_id: id } };
  }

  #explicit(): RandomCall {
    const effective = this.#upTo(longest);
    const prompt =
      this.#random() < 0.5 ? this.#prompt() : { sequence_hashes: this.#chain(), isl_tokens: longest + this.#upTo(4) };
    const target = { worker_id: this.#one([...this.#workers, 99]), ...this.#maybe(0.5, { dp_rank: this.#upTo(2) }) };
    const body = {
      selection_id: this.#newId(this.#held) ?? `other-${this.#nextId++}`,
      ...target,
      ...prompt,
      ...this.#maybe(0.7, { effective_prefill_tokens: effective }),
      ...this.#maybe(0.3, { track_prefill_tokens: this.#random() < 0.5 }),
    };
    return { method: "POST", path: "/reservations", body };
  }

  /** Hashes as a chain of blocks has them: equal ones stand at the same place after equal ones. */
  #chain(): readonly number[] {
    const chain = 1 + this.#upTo(3);
    return Array.from({ length: this.#upTo(9) }, (_, i) => (i % 2 === 0 ? 1 : -1) * (1_000 * chain + i));
  }

  #lifecycle(method: "POST", suffix: string, body?: Record<string, unknown>): RandomCall {
    const path = `/reservations/${this.#someId(this.#held) ?? "unknown"}${suffix}`;
    return body === undefined ? { method, path } : { method, path, body };
  }

  #release(): RandomCall {
    const id = this.#someId(this.#held) ?? "unknown";
    if (this.#random() < 0.9) this.#held.delete(id);
    return { method: "DELETE", path: `/reservations/${id}` };
  }

  #patch(): RandomCall {
    const changes = [
      { taints: this.#one([[], ["fast"], ["big"], ["fast", "big"]]) },
      { max_num_batched_tokens: 1 + this.#upTo(10_000) },
      { total_kv_blocks: 1 + this.#upTo(10_000) },
      { endpoint: `http://10.1.0.${this.#upTo(200)}:8000` },
      { endpoint: null, stable_routing_id: "stable" },
    ];
    return { method: "PATCH", path: `/workers/${this.#one([...this.#workers, 99])}`, body: this.#one(changes) };
  }

  /** Calls that are refused, or that look. */
  #oddity(): RandomCall {
    return this.#one<RandomCall>([
      { method: "GET", path: "/workers" },
      { method: "GET", path: "/workers?model_name=default" },
      { method: "GET", path: "/workers?model_name=other" },
      { method: "GET", path: "/ready" },
      { method: "GET", path: "/health" },
      { method: "GET", path: "/replica_sync/peers" },
      { method: "POST", path: "/select", body: {} },
      { method: "POST", path: "/select", body: { token_ids: [-1] } },
      { method: "POST", path: "/select", body: { token_ids: [1.5] } },
      { method: "POST", path: "/select", body: { token_ids: null } },
      { method: "POST", path: "/select", body: { token_ids: [1], model_name: null } },
      { method: "POST", path: "/select", body: { token_ids: [1], model_name: "other" } },
      { method: "POST", path: "/select", body: { token_ids: [1], routing_constraints: null } },
      { method: "POST", path: "/select", body: { token_ids: [1], pinned_worker: { worker_id: 1 } } },
      { method: "POST", path: "/select", body: { token_ids: [1], router_config_override: { router_temperature: -1 } } },
      { method: "POST", path: "/select", body: { block_hashes: [1], sequence_hashes: [1, 2], isl_tokens: 4 } },
      { method: "POST", path: "/select", body: { block_hashes: [1], sequence_hashes: [1], isl_tokens: 0 } },
      { method: "POST", path: "/reservations", body: {} },
      { method: "POST", path: "/reservations", body: { selection_id: "x", worker_id: 1 } },
      { method: "POST", path: "/reservations/unknown/output_block", body: { decay_fraction: 7 } },
      { method: "POST", path: "/workers", body: { endpoint: "x" } },
      { method: "POST", path: "/workers", body: { worker_id: "1" } },
      { method: "DELETE", path: "/workers/77" },
      { method: "DELETE", path: "/workers/abc" },
      { method: "POST", path: "/health" },
      { method: "GET", path: "/nothing" },
    ]);
  }

  #newId(taken: ReadonlySet<string>): string | undefined {
    return this.#random() < 0.05 ? this.#someId(taken) : `id-${this.#nextId++}`;
  }

  #someId(ids: ReadonlySet<string>): string | undefined {
    const list = [...ids];
    if (ids === this.#kept && this.#random() < 0.5) return `kept-${this.#nextId++}`;
    return list.length === 0 || this.#random() < 0.05 ? undefined : this.#one(list);
  }

  #someWorkers(): readonly number[] {
    return [...this.#workers, 99].filter(() => this.#random() < 0.5);
  }

  #maybe<T extends object>(probability: number, members: T): T | object {
    return this.#random() < probability ? members : {};
  }

  #fraction(): number {
    return this.#one([0, 0.25, 0.5, 1]);
  }

  #upTo(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<T>(items: readonly T[]): T {
    const item = items[this.#upTo(items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }
}
