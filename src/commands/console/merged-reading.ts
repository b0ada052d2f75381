import type { ConsoleFrame, ReadWorker, StateReading } from "../../surface/admin/index.ts";
import type { ShardStatus } from "../shards/shard-supervisor.ts";
import { mergedFrame, type PickerFacts, type ShardView } from "./merged-state.ts";
import { mergedWorkers } from "./merged-workers.ts";
import type { ToldReading } from "./state-lines.ts";

/** A shard, and what it tells. */
export interface ToldShard {
  readonly status: ShardStatus;
  /** Undefined = it did not in time. */
  readonly reading: ToldReading | undefined;
}

/** The states of several processes of one picker as one, read and merged line by line. */
export class MergedReading implements StateReading {
  readonly #shards: readonly ToldShard[];
  readonly #facts: () => PickerFacts;

  /** @param facts of the moment when all workers have been read */
  constructor(shards: readonly ToldShard[], facts: () => PickerFacts) {
    this.#shards = shards;
    this.#facts = facts;
  }

  workers(): Iterable<ReadWorker | undefined> {
    const lists = this.#shards.flatMap(({ reading }) => reading?.workers() ?? []);
    return mergedWorkers(lists, this.#facts().sharesLoad);
  }

  *frame(): Generator<undefined, ConsoleFrame> {
    const views: ShardView[] = [];
    for (const { status, reading } of this.#shards) {
      const frame = reading && (yield* reading.frame());
      views.push({ ...status, frame, requests: reading?.requests ?? 0 });
    }
    return yield* mergedFrame(views, this.#facts());
  }
}
