import type { Catalogue } from "../fleet/index.ts";
import type { LoadTable, SiblingLoads } from "../load/index.ts";
import type { ReplicaEnvironment } from "./environment.ts";
import { LoadPublisher, type LoadPublisherOptions, type ReplicaIdentity } from "./load-publisher.ts";
import type { MessageSink } from "./paced-sink.ts";
import { RankNames } from "./rank-names.ts";
import { type SiblingObserver, type SiblingStatus, Siblings, type SiblingsOptions } from "./siblings.ts";
import { UnheardBookings } from "./unheard-bookings.ts";

/** What replicas tell each other of. */
export interface ReplicaLoadState {
  readonly catalogue: Catalogue;
  /** What this replica has booked. */
  readonly loads: LoadTable;
  /** Receives what the others have booked. */
  readonly siblings: SiblingLoads;
}

/** Keeps what this replica and its siblings have booked known to all of them, over a channel that all hear. */
export class ReplicaLoads {
  readonly #ranks: RankNames;
  readonly #publisher: LoadPublisher;
  readonly #siblings: Siblings;

  constructor(
    identity: ReplicaIdentity,
    { catalogue, loads, siblings }: ReplicaLoadState,
    sink: MessageSink,
    options: LoadPublisherOptions & SiblingsOptions,
    observer: Omit<SiblingObserver, "cameBack">,
    environment: ReplicaEnvironment,
  ) {
    const unheard = new UnheardBookings(loads, siblings);
    siblings.guessUnheard((slot) => unheard.on(slot, this.#siblings.size));
    this.#ranks = new RankNames(catalogue, (name, slot) => {
      unheard.removeSlot(slot);
      this.#publisher.rankRemoved(name, slot);
      this.#siblings.rankRemoved(slot);
    });
    this.#publisher = new LoadPublisher(identity, { loads, ranks: this.#ranks, sink }, options, unheard, environment);
    this.#siblings = new Siblings(
      identity.id,
      { loads: siblings, ranks: this.#ranks },
      options,
      {
        joined: (id, name) => observer.joined(id, name),
        left: (id, name, why) => observer.left(id, name, why),
        greeted: () => {
          this.#publisher.roundDue();
          observer.greeted();
        },
        cameBack: (number) => unheard.cameBack(number),
      },
      environment,
    );
  }

  /** The names under which replicas speak of ranks. */
  get ranks(): RankNames {
    return this.#ranks;
  }

  /** The siblings whose load counts at this moment. */
  siblings(): readonly SiblingStatus[] {
    return this.#siblings.values();
  }

  /** Messages since the start. */
  get counts() {
    return { ...this.#publisher.counts, ...this.#siblings.counts };
  }

  /** The channel can be used (again). */
  connected(): void {
    this.#publisher.connected();
  }

  /** A message came over the channel. @returns whether this replica has sent it */
  receive(text: string): boolean {
    return this.#siblings.receive(text);
  }

  /** Takes leave of the siblings and forgets them. The channel is still open. */
  async close(): Promise<void> {
    this.#ranks.close();
    await this.#publisher.close();
    this.#siblings.close();
  }
}
