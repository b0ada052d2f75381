import type { Catalogue, WorkerRank } from "../fleet/index.ts";
import type { TierOverlaps } from "../kv/index.ts";
import type { LoadTable, LoadView, Reservation } from "../load/index.ts";
import {
  type Candidate,
  type Constraints,
  choose,
  estimatedCachedTokens,
  exclusionOf,
  type Favoured,
  type PickRequest,
  preferenceOf,
} from "../pick/index.ts";
import type { Placeable } from "./placeable.ts";
import type { PhaseChoice, PhaseRules } from "./selection.ts";

const noHashes = new Uint32Array(0);

/** Looks at the workers' state at one instant, chooses and books, all without a wait in between. */
export class Placer {
  readonly #catalogue: Catalogue;
  readonly #loads: LoadTable;
  readonly #random: () => number;
  readonly #view: LoadView;
  /** One set of arrays for all picks: nothing waits between filling it and the last read. */
  #overlaps: TierOverlaps = newOverlaps(64);

  constructor(catalogue: Catalogue, loads: LoadTable, view: LoadView, random: () => number) {
    this.#catalogue = catalogue;
    this.#loads = loads;
    this.#random = random;
    this.#view = view;
  }

  /** Looks up who holds the prompt. What `candidates` returns next is of this subject. */
  look({ hashes, model }: Placeable): void {
    if (this.#overlaps.device.length < this.#catalogue.slotLimit) {
      this.#overlaps = newOverlaps(2 * this.#catalogue.slotLimit);
    }
    if (hashes !== undefined && model !== undefined) {
      model.index.tierOverlaps(hashes, this.#overlaps);
      return;
    }
    const { device, host, disk } = this.#overlaps;
    device.fill(0);
    host.fill(0);
    disk.fill(0);
  }

  /** The ranks that could serve the request, with their state; those that may not say why. */
  candidates(
    subject: Placeable,
    constraints: Constraints,
    { assumesKvReuse }: Pick<PhaseRules, "assumesKvReuse">,
  ): Candidate[] {
    const { device, host, disk } = this.#overlaps;
    const sequence = loadSequenceOf(subject);
    const blocks = sequence.length >>> 1;
    return this.#catalogue.ranksFor(subject.model?.name).map((rank) => {
      const load = this.#view.loadOn(rank.slot);
      const isTooBusy = this.#view.isTooBusy(rank.slot, rank.worker.totalKvBlocks);
      const exclusion = exclusionOf(rank, constraints, isTooBusy);
      return {
        rank,
        exclusion,
        deviceBlocks: device[rank.slot] ?? 0,
        hostBlocks: host[rank.slot] ?? 0,
        diskBlocks: disk[rank.slot] ?? 0,
        sharedCacheBlocks: 0,
        isLoadKnown: true,
        activePrefillTokens: load.prefillTokens,
        activeDecodeBlocks: load.decodeBlocks,
        activeRequests: load.requests,
        siblingRequests: this.#view.siblingLoad(rank.slot).requests,
        foreignRequests: this.#view.foreignLoad(rank.slot)?.requests ?? 0,
        blocksNotActive:
          assumesKvReuse && exclusion === undefined ? this.#view.blocksNotActive(rank.slot, sequence, blocks) : blocks,
        preference: preferenceOf(rank.worker, constraints),
      };
    });
  }

  /** What the cost of a phase needs to know of the request. */
  request(subject: Placeable, rules: PhaseRules): PickRequest {
    return {
      promptTokens: subject.promptTokens ?? 0,
      blockSize: subject.model?.index.blockSize ?? 1,
      phase: rules.phase,
      tracksPrefill: rules.tracksPrefill,
    };
  }

  /** @throws RoutingError no_endpoints or saturated */
  choose(subject: Placeable, { candidates, favourite }: Favoured, rules: PhaseRules): PhaseChoice {
    const request = this.request(subject, rules);
    const choice = choose(candidates, request, rules.options, this.#random, favourite);
    const picked = candidates[choice.chosen];
    if (picked === undefined) throw new Error("the choice is outside of the candidates");
    return { candidates, choice, picked, rank: picked.rank, request, rules };
  }

  /** Whether the chosen rank is still the one of its slot: a selection that was kept for a while may outlive its worker. */
  isPresent(rank: WorkerRank): boolean {
    return this.#catalogue.rankAt(rank.slot) === rank;
  }

  /** @throws RoutingError saturated when too many reservations are held */
  book(subject: Placeable, { rank, picked, request, rules }: PhaseChoice): Reservation {
    const sequence = loadSequenceOf(subject);
    return this.#loads.reserve(rank.slot, {
      promptTokens: request.promptTokens,
      cachedTokens: estimatedCachedTokens(picked, request.blockSize, rules.options),
      sequence,
      count: sequence.length >>> 1,
      tracksPrefill: rules.tracksPrefill,
      assumesKvReuse: rules.assumesKvReuse,
    });
  }

  /** As `book`, on a rank that was not chosen here. */
  bookOn(rank: WorkerRank, subject: Placeable, prefillTokens: number): Reservation {
    const { assumesKvReuse = true } = subject.demands.overrides ?? {};
    const sequence = loadSequenceOf(subject);
    return this.#loads.reserve(rank.slot, {
      promptTokens: prefillTokens,
      cachedTokens: 0,
      sequence,
      count: sequence.length >>> 1,
      assumesKvReuse,
    });
  }
}

function loadSequenceOf({ loadSequence, hashes }: Placeable): Uint32Array {
  return loadSequence ?? hashes?.sequence ?? noHashes;
}

function newOverlaps(slots: number): TierOverlaps {
  return { device: new Int32Array(slots), host: new Int32Array(slots), disk: new Int32Array(slots) };
}
