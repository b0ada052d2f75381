import type { Catalogue, WorkerRank } from "../fleet/index.ts";
import type { LoadTable, Reservation } from "../load/index.ts";
import {
  type Candidate,
  type Choice,
  type Constraints,
  choose,
  exclusionOf,
  type PickOptions,
  type PickRequest,
  preferenceOf,
} from "../pick/index.ts";
import type { PreparedRequest } from "./prepare.ts";

/** A choice with everything it was made from. */
export interface PhaseChoice {
  readonly candidates: readonly Candidate[];
  readonly choice: Choice;
  readonly rank: WorkerRank;
  readonly request: PickRequest;
  readonly options: Required<PickOptions>;
}

/** How one phase of a request is charged and chosen. */
export interface PhaseRules {
  readonly phase: PickRequest["phase"];
  readonly tracksPrefill: boolean;
  readonly assumesKvReuse: boolean;
  readonly options: Required<PickOptions>;
}

const noHashes = new Uint32Array(0);

/** Looks at the workers' state at one instant, chooses and books, all without a wait in between. */
export class Placer {
  readonly #catalogue: Catalogue;
  readonly #loads: LoadTable;
  readonly #random: () => number;
  #overlaps = new Int32Array(64);

  constructor(catalogue: Catalogue, loads: LoadTable, random: () => number) {
    this.#catalogue = catalogue;
    this.#loads = loads;
    this.#random = random;
  }

  /** The ranks that could serve the request, with their state; those that may not say why. */
  candidates(prepared: PreparedRequest, constraints: Constraints, assumesKvReuse: boolean): Candidate[] {
    const overlaps = this.#overlapsOf(prepared);
    const sequence = prepared.hashes?.sequence ?? noHashes;
    const blocks = prepared.hashes?.count ?? 0;
    return this.#catalogue.ranksFor(prepared.model?.name).map((rank) => ({
      rank,
      exclusion: exclusionOf(rank, constraints, false),
      deviceBlocks: overlaps[rank.slot] ?? 0,
      hostBlocks: 0,
      diskBlocks: 0,
      sharedCacheBlocks: 0,
      isLoadKnown: true,
      activePrefillTokens: this.#loads.activePrefillTokens(rank.slot),
      activeDecodeBlocks: this.#loads.activeDecodeBlocks(rank.slot),
      activeRequests: this.#loads.activeRequests(rank.slot),
      blocksNotActive: assumesKvReuse ? this.#loads.blocksNotActive(rank.slot, sequence, blocks) : blocks,
      preference: preferenceOf(rank.worker, constraints),
    }));
  }

  /** @throws RoutingError no_endpoints or saturated */
  choose(prepared: PreparedRequest, candidates: readonly Candidate[], rules: PhaseRules): PhaseChoice {
    const request: PickRequest = {
      promptTokens: prepared.prompt?.tokenIds.length ?? 0,
      blockSize: prepared.model?.pipeline?.blockSize ?? 1,
      phase: rules.phase,
      tracksPrefill: rules.tracksPrefill,
    };
    const choice = choose(candidates, request, rules.options, this.#random);
    const picked = candidates[choice.chosen];
    if (picked === undefined) throw new Error("the choice is outside of the candidates");
    return { candidates, choice, rank: picked.rank, request, options: rules.options };
  }

  /** @throws RoutingError saturated when too many reservations are held */
  book(prepared: PreparedRequest, chosen: PhaseChoice, rules: PhaseRules): Reservation {
    const overlapBlocks = chosen.candidates[chosen.choice.chosen]?.deviceBlocks ?? 0;
    return this.#loads.reserve(chosen.rank.slot, {
      promptTokens: prepared.prompt?.tokenIds.length ?? 0,
      cachedTokens: overlapBlocks * (prepared.model?.pipeline?.blockSize ?? 0),
      sequence: prepared.hashes?.sequence ?? noHashes,
      count: prepared.hashes?.count ?? 0,
      tracksPrefill: rules.tracksPrefill,
      assumesKvReuse: rules.assumesKvReuse,
    });
  }

  /** One array for all picks: nothing waits between filling it and the last read. */
  #overlapsOf(prepared: PreparedRequest): Int32Array {
    if (this.#overlaps.length < this.#catalogue.slotLimit) {
      this.#overlaps = new Int32Array(2 * this.#catalogue.slotLimit);
    }
    this.#overlaps.fill(0);
    if (prepared.hashes !== undefined) prepared.model?.index.overlaps(prepared.hashes, this.#overlaps);
    return this.#overlaps;
  }
}
