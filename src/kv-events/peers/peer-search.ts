import { setTimeout as delay } from "node:timers/promises";
import type { KvEventLog } from "../observer.ts";
import type { Clock } from "../turn-budget.ts";
import { addressesOf, type PeerAddress, type Resolve } from "./peer-addresses.ts";
import { PeerError, type PeerFailure } from "./peer-error.ts";

/** How an index was had from a peer, or not. */
export type DumpOutcome = "restored" | "empty" | PeerFailure;

export interface PeerSearchOptions {
  readonly urls: readonly URL[];
  /** How long peers that cannot be reached, or have nothing yet, are asked again, ms. */
  readonly seekMs: number;
  /** Ports of this process that peers may be asked at. */
  readonly ownPorts: () => readonly number[];
}

export interface PeerSearchDependencies {
  readonly resolve: Resolve;
  readonly clock: Clock;
  readonly log: KvEventLog;
  /** Told how each attempt ended. */
  readonly attempted: (outcome: DumpOutcome) => void;
}

/** What came of one peer's dump. */
export interface TakenDump {
  readonly blocks: number;
}

/** Takes the whole dump of one peer. Throws PeerError, having undone what it did, or the signal's reason. */
export type TakeDump<T extends TakenDump> = (address: PeerAddress, signal: AbortSignal) => Promise<T>;

/** Whose dump was taken, and what came of it. */
export interface FoundDump<T extends TakenDump> {
  readonly address: PeerAddress;
  readonly dump: T;
}

/** Pause between two rounds of all peers, ms. */
const roundPauseMs = 250;

/** What a round of asking everybody has shown. */
interface Round<T extends TakenDump> {
  readonly found?: FoundDump<T>;
  /** Nobody asked may have anything later. */
  readonly isHopeless: boolean;
  /** Somebody is getting an index right now. */
  readonly isPromising: boolean;
}

/**
 * Asks peers for a dump until one gives it. Peers that start themselves and have nothing are not waited for: two replicas that start at
 * the same time would wait for each other. One that is being restored itself is, since it has found an index.
 */
export class PeerSearch {
  readonly #options: PeerSearchOptions;
  readonly #dependencies: PeerSearchDependencies;
  /** Peers that are not asked again. */
  readonly #given = new Set<string>();
  readonly #said = new Set<string>();

  constructor(options: PeerSearchOptions, dependencies: PeerSearchDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /**
   * @param leftMs time until the deadline
   * @returns undefined when no dump is to be had. Rejects with the signal's reason
   */
  async run<T extends TakenDump>(
    take: TakeDump<T>,
    leftMs: () => number,
    signal: AbortSignal,
  ): Promise<FoundDump<T> | undefined> {
    const { clock } = this.#dependencies;
    const seekUntil = clock.now() + this.#options.seekMs;
    for (;;) {
      const round = await this.#askAll(take, leftMs, signal);
      if (round.found !== undefined) return round.found;
      if (round.isHopeless || (clock.now() >= seekUntil && !round.isPromising)) return undefined;
      await delay(roundPauseMs, undefined, { signal });
    }
  }

  async #askAll<T extends TakenDump>(take: TakeDump<T>, leftMs: () => number, signal: AbortSignal): Promise<Round<T>> {
    const addresses = await this.#addresses(signal);
    const failures: PeerFailure[] = addresses.isWhole ? [] : ["unreachable"];
    let empty: FoundDump<T> | undefined;
    for (const [i, address] of addresses.found.entries()) {
      // A slow peer leaves the others their share of the time.
      const shareMs = Math.max(1, Math.ceil(leftMs() / (addresses.found.length - i)));
      const dump = await this.#ask(take, address, shareMs, signal);
      if (typeof dump === "string") failures.push(dump);
      else if (dump.blocks > 0) return { found: { address, dump }, isHopeless: false, isPromising: false };
      else empty ??= { address, dump };
    }
    const isPromising = failures.includes("restoring");
    // One that knows nothing counts only when nobody knows more.
    if (empty !== undefined && !isPromising) return { found: empty, isHopeless: false, isPromising };
    return { isHopeless: !isPromising && !failures.includes("unreachable"), isPromising };
  }

  async #ask<T extends TakenDump>(
    take: TakeDump<T>,
    address: PeerAddress,
    shareMs: number,
    signal: AbortSignal,
  ): Promise<T | PeerFailure> {
    const { attempted } = this.#dependencies;
    const share = AbortSignal.timeout(shareMs);
    try {
      const dump = await take(address, AbortSignal.any([signal, share]));
      attempted(dump.blocks > 0 ? "restored" : "empty");
      return dump;
    } catch (error) {
      signal.throwIfAborted();
      const reason = share.aborted ? new PeerError(`it took over ${shareMs} ms`, { failure: "too_slow" }) : error;
      if (!(reason instanceof PeerError)) throw error;
      this.#onFailure(address, reason);
      return reason.failure;
    }
  }

  #onFailure(address: PeerAddress, { failure, message }: PeerError): void {
    const { attempted, log } = this.#dependencies;
    if (isFinal(failure)) this.#given.add(keyOf(address));
    this.#say(`${keyOf(address)} ${failure}`, () => {
      const fields = { peer: address.url.href, address: address.host, outcome: failure, reason: message };
      log.warn(fields, "a peer gave no index");
    });
    attempted(failure);
  }

  /** Once each. */
  #say(key: string, write: () => void): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    write();
  }

  async #addresses(
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly PeerAddress[]; readonly isWhole: boolean }> {
    const { resolve, log } = this.#dependencies;
    const found: PeerAddress[] = [];
    let isWhole = true;
    for (const url of this.#options.urls) {
      try {
        found.push(...(await orAborted(addressesOf(url, resolve, this.#options.ownPorts()), signal)));
      } catch (error) {
        signal.throwIfAborted();
        isWhole = false;
        const reason = error instanceof Error ? error.message : String(error);
        this.#say(url.href, () => {
          log.warn({ peer: url.href, outcome: "unreachable", reason }, "a peer's name is not known");
        });
      }
    }
    return { found: found.filter((address) => !this.#given.has(keyOf(address))), isWhole };
  }
}

/** Whether asking again is of no use. */
function isFinal(failure: PeerFailure): boolean {
  return failure !== "unreachable" && failure !== "seeking" && failure !== "restoring";
}

function keyOf({ url, host }: PeerAddress): string {
  return `${url.href} ${host}`;
}

/** Looking up a name cannot be cancelled, only be left alone. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
