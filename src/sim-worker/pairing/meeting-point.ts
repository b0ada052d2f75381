/** How long one half of a pair waits for the other, in ms. */
const patienceMs = 30_000;

/** Where a decode worker finds what a prefill worker has for it. */
export class MeetingPoint {
  readonly #rooms = new Map<string, Room>();
  readonly #blocks = new Set<string>();

  /** Rooms in which somebody waits, and prompts whose blocks nobody has fetched. */
  get held(): number {
    return this.#rooms.size + this.#blocks.size;
  }

  /** The prefill worker's place. Resolves once a decode worker has come. Rejects with the signal's reason, or after a while. */
  async open(id: string, signal: AbortSignal): Promise<void> {
    await settled(this.#room(id).joined.promise, signal);
  }

  /** The decode worker's place. Resolves once the prompt is prefilled. Rejects when that has failed, or as `open`. */
  async join(id: string, signal: AbortSignal): Promise<void> {
    const room = this.#room(id);
    room.joined.resolve();
    try {
      await settled(room.prefilled.promise, signal);
    } catch (error) {
      this.close(id, false);
      throw error;
    }
  }

  /** The prefill worker is done. */
  close(id: string, isGood: boolean): void {
    const room = this.#rooms.get(id);
    this.#rooms.delete(id);
    if (isGood) room?.prefilled.resolve();
    else room?.prefilled.reject(new Error("the transfer of the KV blocks failed"));
  }

  keepBlocks(id: string): void {
    this.#blocks.add(id);
  }

  /** @returns false when nobody has left them, or they have been fetched */
  takeBlocks(id: string): boolean {
    return this.#blocks.delete(id);
  }

  #room(id: string): Room {
    const known = this.#rooms.get(id);
    if (known !== undefined) return known;
    const room = { joined: Promise.withResolvers<void>(), prefilled: Promise.withResolvers<void>() };
    // Whoever waits hears of it; often nobody does.
    room.prefilled.promise.catch(() => undefined);
    this.#rooms.set(id, room);
    return room;
  }
}

interface Room {
  readonly joined: PromiseWithResolvers<void>;
  readonly prefilled: PromiseWithResolvers<void>;
}

function settled(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the other worker of the pair did not come")), patienceMs);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    });
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
