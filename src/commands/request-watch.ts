import {
  FollowedWait,
  type PickStageName,
  type PickStages,
  type PrepareWait,
  type RouteDecision,
  type RouteRequest,
  type RouteReservation,
  type UsedTokens,
} from "../router/index.ts";

/** Follows requests from their arrival to their end. Nothing of it may throw, and all of it is on the hot path. */
export interface RequestWatcher {
  /** @returns undefined = this request is not followed */
  watch(request: RouteRequest): RequestWatch | undefined;
}

/** Follows one request. `picked` or `failed` is called, once. */
export interface RequestWatch {
  /** Follows the parts of the pick's work; absent = does not. */
  readonly stages?: PickStages | undefined;
  picked(decision: RouteDecision): PickedWatch;
  /** @param hasLeft whether that is because the client has left */
  failed(error: unknown, hasLeft: boolean): void;
}

/** Follows a request that was picked for. */
export interface PickedWatch {
  /** Headers that go to the worker with the request. Default: none. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The first content byte of the answer has come; at most once. */
  firstContent?(): void;
  used?(usage: UsedTokens): void;
  /** The request is over; once. */
  ended(): void;
}

/** One pick with those who follow it. */
export class WatchedPick {
  readonly #watches: readonly RequestWatch[];

  private constructor(watches: readonly RequestWatch[]) {
    this.#watches = watches;
  }

  /** @returns undefined = nobody follows the request */
  static of(watchers: readonly RequestWatcher[], request: RouteRequest): WatchedPick | undefined {
    const watches = watchers.flatMap((watcher) => watcher.watch(request) ?? []);
    return watches.length === 0 ? undefined : new WatchedPick(watches);
  }

  /** The same wait, with the parts of the work followed. */
  waitOf(wait: PrepareWait): PrepareWait {
    const stages = this.#watches.flatMap((watch) => watch.stages ?? []);
    const [first] = stages;
    if (first === undefined) return wait;
    return new FollowedWait(wait, stages.length === 1 ? first : new AllStages(stages));
  }

  picked(decision: RouteDecision): RouteDecision {
    const picked = this.#watches.map((watch) => watch.picked(decision));
    const headers = picked.flatMap((watch) => watch.headers ?? []);
    return {
      ...decision,
      headers: headers.length === 0 ? decision.headers : [...decision.headers, ...headers],
      reservation: new WatchedReservation(decision.reservation, picked),
    };
  }

  failed(error: unknown, hasLeft: boolean): void {
    for (const watch of this.#watches) watch.failed(error, hasLeft);
  }
}

class AllStages implements PickStages {
  readonly #all: readonly PickStages[];

  constructor(all: readonly PickStages[]) {
    this.#all = all;
  }

  during<T>(stage: PickStageName, work: () => T): T {
    const nested = this.#all.reduce((inner, stages) => () => stages.during(stage, inner), work);
    return nested();
  }
}

/** A reservation that tells how its request goes. */
class WatchedReservation implements RouteReservation {
  readonly #inner: RouteReservation;
  readonly #watches: readonly PickedWatch[];
  #hasContent = false;
  #isOver = false;

  constructor(inner: RouteReservation, watches: readonly PickedWatch[]) {
    this.#inner = inner;
    this.#watches = watches;
  }

  get isHeld(): boolean {
    return this.#inner.isHeld;
  }

  prefillComplete(): void {
    this.#inner.prefillComplete();
    if (this.#hasContent || this.#isOver) return;
    this.#hasContent = true;
    for (const watch of this.#watches) watch.firstContent?.();
  }

  outputBlock(fraction?: number): void {
    this.#inner.outputBlock(fraction);
  }

  release(): void {
    this.#inner.release();
    if (this.#isOver) return;
    this.#isOver = true;
    for (const watch of this.#watches) watch.ended();
  }

  servedBy(endpoint: string): boolean {
    return this.#inner.servedBy(endpoint);
  }

  tried(endpoint: string, isReached: boolean): void {
    this.#inner.tried(endpoint, isReached);
  }

  used(usage: UsedTokens): void {
    if (this.#isOver) return;
    for (const watch of this.#watches) watch.used?.(usage);
  }
}
