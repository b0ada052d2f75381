import { Catalogue, staticWorkers, type WorkerRank } from "../../../src/fleet/index.ts";
import { LoadTable, SiblingLoads } from "../../../src/load/index.ts";
import { type MessageSink, type ReplicaEnvironment, ReplicaLoads } from "../../../src/replicas/index.ts";

export const settings = {
  heartbeatMs: 250,
  coalesceMs: 5,
  silentAfterMs: 1_500,
  maxReplicas: 8,
  maxRanksPerMessage: 64,
  maxMessageBytes: 65_536,
};

/** A channel in memory: what one sends all hear, himself too, unless it is lost on the way. */
export class Bus {
  readonly #listeners = new Set<(text: string) => void>();
  /** Whether a message to a listener is lost. */
  isLost: (text: string, listener: number) => boolean = () => false;
  readonly sent: string[] = [];

  listen(listener: (text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(text: string): void | Promise<void> {
    this.sent.push(text);
    for (const [i, listener] of [...this.#listeners].entries()) if (!this.isLost(text, i)) listener(text);
  }
}

/** One replica on a bus, with workers w0, w1, ... of its own catalogue. */
export class TestReplica {
  readonly catalogue = new Catalogue();
  readonly loads = new LoadTable();
  readonly siblings = new SiblingLoads();
  readonly replica: ReplicaLoads;
  readonly events: string[] = [];
  isOpen = true;
  readonly #stop: () => void;

  constructor(
    name: string,
    bus: Bus,
    environment: ReplicaEnvironment,
    { workers = 3, ...options }: Partial<typeof settings> & { readonly workers?: number } = {},
  ) {
    this.catalogue.replaceAll(workersNamed(Array.from({ length: workers }, (_, i) => `w${i}`)));
    this.catalogue.subscribe({ onRemoved: ({ slot }) => this.loads.removeSlot(slot) });
    const sink: MessageSink = {
      isOpen: () => this.isOpen,
      publish: async (text) => {
        if (!this.isOpen) throw new Error("closed");
        await bus.send(text);
      },
    };
    this.replica = new ReplicaLoads(
      { id: `id-${name}`, name },
      this,
      sink,
      { ...settings, ...options },
      {
        joined: (_id, other) => this.events.push(`joined ${other}`),
        left: (_id, other, why) => this.events.push(`${why} ${other}`),
        greeted: () => undefined,
      },
      environment,
    );
    this.#stop = bus.listen((text) => {
      if (this.isOpen) this.replica.receive(text);
    });
    this.replica.connected();
  }

  rank(worker: string): WorkerRank {
    const [rank] = [...this.catalogue.workers()].find(({ name }) => name === worker)?.ranks ?? [];
    if (rank === undefined) throw new Error(`no worker ${worker}`);
    return rank;
  }

  /** Books a request. @returns ends it */
  book(worker: string, promptTokens = 32, blocks = 2) {
    const sequence = Uint32Array.from({ length: 2 * blocks }, () => (Math.random() * 2 ** 32) >>> 0);
    return this.loads.reserve(this.rank(worker).slot, { promptTokens, cachedTokens: 0, sequence, count: blocks });
  }

  /** What is booked on a worker by all replicas, as this one knows it. */
  total(worker: string) {
    const { slot } = this.rank(worker);
    const others = this.siblings.on(slot);
    return {
      requests: this.loads.activeRequests(slot) + others.requests,
      prefillTokens: this.loads.activePrefillTokens(slot) + others.prefillTokens,
      decodeBlocks: this.loads.activeDecodeBlocks(slot) + others.decodeBlocks,
    };
  }

  /** As when the process is killed: it says nothing more. */
  kill(): void {
    this.isOpen = false;
    this.#stop();
  }
}

/** Specs of workers; their addresses follow from their names. */
export function workersNamed(names: readonly string[], incarnation?: string) {
  return staticWorkers(
    names.map((name) => ({ name, endpoint: `10.0.0.${Number(name.slice(1)) + 1}:80` })),
    incarnation,
  );
}
