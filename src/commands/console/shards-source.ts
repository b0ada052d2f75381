import type { Config } from "../../config/index.ts";
import {
  type ConsoleHistory,
  type ConsoleSource,
  History,
  type PickSummary,
  type StateReading,
} from "../../surface/admin/index.ts";
import { version } from "../../version.ts";
import { modesOf } from "../modes.ts";
import { replicaName } from "../reservation-ids.ts";
import type { ConsoleQuestion } from "../shards/shard-messages.ts";
import type { ShardStatus } from "../shards/shard-supervisor.ts";
import { MergedReading } from "./merged-reading.ts";
import { mergedPicks, type PickerFacts } from "./merged-state.ts";
import { noPick } from "./shard-answers.ts";
import { ToldReading } from "./state-lines.ts";

/** The shards, as the console asks them. */
export interface AskedShards {
  readonly shards: readonly ShardStatus[];
  /** Pieces of the answer's text; undefined when there is none in time. */
  askConsole(shard: number, question: ConsoleQuestion): Promise<readonly string[] | undefined>;
}

/** The console of all shards together. */
export class ShardsSource implements ConsoleSource {
  readonly #config: Config;
  readonly #shards: AskedShards;
  readonly #wall: () => number;
  readonly #startedAtMs: number;
  /** Of when no shard tells of one. */
  readonly #noHistory: ConsoleHistory;

  /** @param wall ms since 1970 */
  constructor(config: Config, shards: AskedShards, wall: () => number, startedAtMs: number) {
    this.#config = config;
    this.#shards = shards;
    this.#wall = wall;
    this.#startedAtMs = startedAtMs;
    this.#noHistory = new History(config.admin).state();
  }

  async state(): Promise<StateReading> {
    const texts = await this.#askAll({ about: "state" });
    const told = this.#shards.shards.map((status) => {
      const pieces = texts.get(status.shard);
      return { status, reading: pieces && new ToldReading(pieces) };
    });
    return new MergedReading(told, () => this.#facts());
  }

  async picks(limit: number, requestId: string | undefined): Promise<readonly PickSummary[]> {
    const lists = await this.#askAll({ about: "picks", limit, requestId });
    const picksOf = (pieces: readonly string[]) => JSON.parse(pieces.join("")) as readonly PickSummary[];
    return mergedPicks([...lists].map(([shard, pieces]) => ({ shard, picks: picksOf(pieces) }))).slice(0, limit);
  }

  async explain(id: string): Promise<Iterable<string> | undefined> {
    const [, shard, number] = /^(\d+)-(\d+)$/.exec(id) ?? [];
    if (shard === undefined || number === undefined) return undefined;
    const pieces = await this.#shards.askConsole(Number(shard), { about: "pick", id: number, shownAs: id });
    return pieces?.[0] === noPick ? undefined : pieces;
  }

  #facts(): PickerFacts {
    return {
      nowAtMs: this.#wall(),
      updateIntervalMs: this.#config.admin.updateIntervalMs,
      version,
      modes: modesOf(this.#config),
      startedAtMs: this.#startedAtMs,
      history: this.#noHistory,
      name: replicaName(this.#config),
      sharesLoad: this.#config.replicas.redis.url !== undefined,
    };
  }

  async #askAll(question: ConsoleQuestion): Promise<ReadonlyMap<number, readonly string[]>> {
    const answers = await Promise.all(
      this.#shards.shards.map(async ({ shard }) => [shard, await this.#shards.askConsole(shard, question)] as const),
    );
    return new Map(answers.flatMap(([shard, pieces]) => (pieces === undefined ? [] : [[shard, pieces] as const])));
  }
}
