import { RoutingError } from "../errors/index.ts";
import type { Catalogue, WorkerId, WorkerRank } from "../fleet/index.ts";
import type { Lease, LoadView } from "../load/index.ts";
import { type Candidate, estimatedCachedTokens, type PickOptions } from "../pick/index.ts";
import { type GivenPrompt, placeableOf } from "./given-prompt.ts";
import type { Partition, Partitions } from "./partitions.ts";
import { type PendingOptions, PendingSelections } from "./pending-selections.ts";
import type { EndpointRestriction, Placeable, RouteDemands } from "./placeable.ts";
import type { LeasedDecision } from "./route-decision.ts";
import type { Router } from "./router.ts";
import type { Selection } from "./selection.ts";

/** A worker that a caller prefers above all others, while it may serve. */
export interface AffinityTarget {
  readonly workerId: WorkerId;
  /** Undefined = any of its ranks. */
  readonly dpRank: number | undefined;
}

/** Load of a rank as it is, or as it would be with a prompt. */
export interface PotentialLoad {
  readonly rank: WorkerRank;
  readonly prefillTokens: number;
  readonly decodeBlocks: number;
  readonly activeRequests: number;
}

/** What the selections look at. */
export interface SelectionsState {
  readonly router: Router;
  readonly partitions: Partitions;
  readonly catalogue: Catalogue;
  readonly view: Pick<LoadView, "booked">;
  readonly pick: Required<PickOptions>;
  /** Milliseconds on a monotonic scale. */
  readonly now: () => number;
  /** Told of each choice; absent = nobody is. @param lease undefined = the caller has only asked */
  readonly picked?: (selection: Selection, lease: Lease | undefined) => void;
}

const anywhere: EndpointRestriction = { subset: undefined, requestedEndpoints: undefined };

/** Routing for callers that ask for a worker, and send their requests there themselves. */
export class Selections {
  readonly #state: SelectionsState;
  readonly #pending: PendingSelections;

  constructor(state: SelectionsState, pending: PendingOptions) {
    this.#state = state;
    this.#pending = new PendingSelections(pending, state.now);
  }

  /** A partition that has workers. @throws RoutingError no_endpoints */
  partition(model: string, group: string): Partition {
    const { partitions, catalogue } = this.#state;
    const partition = partitions.of(model, group);
    if (partition !== undefined && catalogue.ranksFor(partition.served.name).length > 0) return partition;
    const place = catalogue.size === 0 ? "are available" : `for model=${model} routing_group=${group}`;
    throw new RoutingError(`no schedulable workers ${place}`, { code: "no_endpoints" });
  }

  /** A given prompt as the choice sees it. @throws RoutingError invalid_request */
  subject(partition: Partition, prompt: GivenPrompt, demands: RouteDemands): Placeable {
    return placeableOf(partition, prompt, demands);
  }

  /**
   * Chooses. With an affinity target nobody else is chosen while it may serve the request.
   * @throws RoutingError as `Router.select`
   */
  select(subject: Placeable, affinity?: AffinityTarget): Selection {
    const selection = this.#choose(subject, affinity);
    this.#state.picked?.(selection, undefined);
    return selection;
  }

  /** Chooses and books in one step. @throws RoutingError as `Router.lease` */
  reserve(subject: Placeable, affinity: AffinityTarget | undefined, id: string | undefined): LeasedDecision {
    return this.#told(this.#state.router.leaseChosen(() => this.#choose(subject, affinity), id));
  }

  /** Keeps a selection for `reservePending`. */
  keep({ model, group }: Partition, id: string, selection: Selection): void {
    this.#pending.put(keyOf(model, group, id), selection);
  }

  /** Forgets a kept selection. */
  forget({ model, group }: Partition, id: string): void {
    this.#pending.remove(keyOf(model, group, id));
  }

  /**
   * Books a kept selection, which is used up by it.
   * @throws RoutingError unknown_reservation when there is none, or its worker is gone; as `Router.lease`
   */
  reservePending(model: string, group: string, id: string): LeasedDecision {
    const key = keyOf(model, group, id);
    const selection = this.#pending.get(key);
    if (selection === undefined) {
      const place = `for model=${model} routing_group=${group}`;
      const message = `no pending selection ${id} ${place} (expired, already used, or never selected)`;
      throw new RoutingError(message, { code: "unknown_reservation", field: "selection_id" });
    }
    const decision = this.#state.router.lease(selection, id);
    this.#pending.remove(key);
    return this.#told(decision);
  }

  /**
   * Books a prompt on a rank that the caller chose.
   * @param prefillTokens what the rank has yet to prefill of it
   * @throws RoutingError unknown_reservation when no such rank is in the partition; as `Router.lease`
   */
  reserveOn(
    partition: Partition,
    target: { readonly workerId: bigint; readonly dpRank: number },
    prompt: { readonly subject: Placeable; readonly prefillTokens: number },
    id: string,
  ): { readonly rank: WorkerRank; readonly lease: Lease } {
    const { workerId, dpRank } = target;
    const ranks = this.#state.catalogue.ranksFor(partition.served.name).filter(({ worker }) => worker.id === workerId);
    if (ranks.length === 0) throw notFound(`schedulable worker ${workerId} not found`);
    let found: WorkerRank | undefined;
    const rankOf = (): WorkerRank => {
      found = ranks.find((rank) => rank.dpRank === dpRank);
      if (found === undefined) throw notFound(`worker ${workerId} has no dp_rank ${dpRank}`);
      return found;
    };
    const lease = this.#state.router.leaseOn(rankOf, prompt.subject, prompt.prefillTokens, id);
    if (found === undefined) throw new Error("a lease was opened without its rank");
    return { rank: found, lease };
  }

  /** What all replicas have booked on every rank of a partition. */
  loads(partition: Partition): PotentialLoad[] {
    const { catalogue, view } = this.#state;
    return catalogue.ranksFor(partition.served.name).map((rank) => {
      const { prefillTokens, decodeBlocks, requests } = view.booked(rank.slot);
      return { rank, prefillTokens, decodeBlocks, activeRequests: requests };
    });
  }

  /** Load of every rank as it would be with a prompt. */
  potentialLoads(subject: Placeable): PotentialLoad[] {
    const tracksPrefill = subject.demands.overrides?.tracksPrefill ?? true;
    return this.candidates(subject).map((candidate) => ({
      rank: candidate.rank,
      prefillTokens: candidate.activePrefillTokens + (tracksPrefill ? this.uncachedTokens(subject, candidate) : 0),
      decodeBlocks: candidate.activeDecodeBlocks + candidate.blocksNotActive,
      activeRequests: candidate.activeRequests,
    }));
  }

  /** Every rank of the prompt's partition with what it holds of the prompt. */
  candidates(subject: Placeable): readonly Candidate[] {
    return this.#state.router.candidates(subject);
  }

  /** Prompt tokens that a candidate has yet to compute. */
  uncachedTokens({ promptTokens = 0, model }: Placeable, candidate: Candidate): number {
    const cached = estimatedCachedTokens(candidate, model?.index.blockSize ?? 1, this.#state.pick);
    return Math.max(0, promptTokens - cached);
  }

  #choose(subject: Placeable, affinity: AffinityTarget | undefined): Selection {
    const narrowed = affinity === undefined ? undefined : this.#narrowed(subject, affinity);
    return this.#state.router.select(narrowed ?? subject, anywhere);
  }

  #told(decision: LeasedDecision): LeasedDecision {
    this.#state.picked?.(decision.selection, decision.lease);
    return decision;
  }

  /** The subject with nobody but the target allowed; undefined when the target may not serve it. */
  #narrowed(subject: Placeable, { workerId, dpRank }: AffinityTarget): Placeable | undefined {
    const { constraints } = subject.demands;
    const isEligible = this.#state.router
      .candidates(withConstraints(subject, { ...constraints, pinned: undefined }))
      .some(
        ({ exclusion, rank }) =>
          exclusion === undefined && rank.worker.id === workerId && (dpRank === undefined || rank.dpRank === dpRank),
      );
    if (!isEligible) return undefined;
    const allowed = new Set([workerId]);
    const { pinned } = constraints;
    if (pinned !== undefined || dpRank === undefined) return withConstraints(subject, { ...constraints, allowed });
    return withConstraints(subject, { ...constraints, allowed, pinned: { workerId, dpRank } });
  }
}

function notFound(message: string): RoutingError {
  return new RoutingError(message, { code: "unknown_reservation", field: "worker_id" });
}

type GivenConstraints = RouteDemands["constraints"];

function withConstraints(
  subject: Placeable,
  { pinned, ...rest }: Omit<GivenConstraints, "pinned"> & { readonly pinned?: GivenConstraints["pinned"] | undefined },
): Placeable {
  const constraints: GivenConstraints = pinned === undefined ? rest : { ...rest, pinned };
  return { ...subject, demands: { ...subject.demands, constraints } };
}

function keyOf(model: string, group: string, id: string): string {
  return `${model}\u0000${group}\u0000${id}`;
}
