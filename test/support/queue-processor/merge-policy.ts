import type { QueuedRequest } from "./envelope.ts";
import type { Release } from "./gates/gate.ts";
import type { QueueOptions } from "./options.ts";

/** A request that a queue's gate let through. */
export interface Dispatched {
  readonly queue: QueueOptions;
  readonly request: QueuedRequest;
  /** What its gates lent. */
  readonly releases: Release[];
  /** `x-gateway-priority`, where the policy has lanes. */
  priority?: number;
}

/** Brings requests of several queues to the workers of a pool. */
export interface MergePolicy {
  /** Resolves once there is room for it. */
  push(dispatched: Dispatched): Promise<void>;
  /** The next one, or `undefined` once the signal aborts. */
  take(signal: AbortSignal): Promise<Dispatched | undefined>;
}

interface Waiting {
  readonly dispatched: Dispatched;
  readonly taken: () => void;
}

/** Room for `capacity` requests in each of several lanes; a lower lane goes first, and in a lane queue after queue. */
class Lanes implements MergePolicy {
  readonly #lanes: Map<string, Waiting[]>[];
  readonly #capacity: number;
  readonly #laneOf: (dispatched: Dispatched) => number;
  readonly #pickOf: (count: number) => number;
  readonly #takers: ((dispatched: Dispatched) => void)[] = [];

  constructor(
    count: number,
    capacity: number,
    laneOf: (dispatched: Dispatched) => number,
    pickOf: (count: number) => number,
  ) {
    this.#lanes = Array.from({ length: count }, () => new Map());
    this.#capacity = capacity;
    this.#laneOf = laneOf;
    this.#pickOf = pickOf;
  }

  push(dispatched: Dispatched): Promise<void> {
    const taker = this.#takers.shift();
    if (taker !== undefined) {
      taker(dispatched);
      return Promise.resolve();
    }
    const lane = this.#lanes[this.#laneOf(dispatched)] ?? new Map<string, Waiting[]>();
    const { queue_name: name } = dispatched.queue;
    const waiting = lane.get(name) ?? [];
    lane.set(name, waiting);
    const size = [...lane.values()].reduce((sum, each) => sum + each.length, 0);
    return new Promise((resolve) => {
      const hasRoom = size < this.#capacity;
      waiting.push({ dispatched, taken: hasRoom ? () => undefined : resolve });
      if (hasRoom) resolve();
    });
  }

  take(signal: AbortSignal): Promise<Dispatched | undefined> {
    for (const lane of this.#lanes) {
      const first = this.#popOf(lane);
      if (first !== undefined) return Promise.resolve(first);
    }
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const taker = (dispatched: Dispatched | undefined) => {
        signal.removeEventListener("abort", leave);
        resolve(dispatched);
      };
      const leave = () => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        taker(undefined);
      };
      this.#takers.push(taker);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #popOf(lane: Map<string, Waiting[]>): Dispatched | undefined {
    const names = [...lane.keys()];
    const name = names[this.#pickOf(names.length)];
    const queue = name === undefined ? undefined : lane.get(name);
    const first = queue?.shift();
    if (name === undefined || queue === undefined || first === undefined) return undefined;
    // Behind the others, so that they have their turn.
    lane.delete(name);
    if (queue.length > 0) lane.set(name, queue);
    first.taken();
    return first.dispatched;
  }
}

/** One request of each queue waits at most; workers take from any of them. */
export function randomRobin(random: () => number): MergePolicy {
  return new Lanes(
    1,
    0,
    () => 0,
    (count) => Math.floor(random() * count),
  );
}

const tiers = ["interactive", "async", "batch"];
const laneCapacity = 1_000;

/** Six strict lanes: with a reservation before without, and in each interactive, async, the rest. */
export function tierPriority(tierLabel: string): MergePolicy {
  const laneOf = (dispatched: Dispatched) => {
    const { classification, internal } = dispatched.request;
    const tier = tiers.indexOf(internal.labels?.[tierLabel] ?? "");
    dispatched.priority = (classification === "reserved" ? 0 : 3) + (tier < 0 ? 2 : tier);
    return dispatched.priority;
  };
  const lanes = new Lanes(6, laneCapacity, laneOf, () => 0);
  return {
    push(dispatched) {
      laneOf(dispatched);
      return lanes.push(dispatched);
    },
    take: (signal) => lanes.take(signal),
  };
}
