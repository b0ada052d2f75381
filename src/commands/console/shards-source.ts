import type { Config } from "../../config/index.ts";
import {
  type ConsoleHistory,
  type ConsoleSource,
  type ConsoleState,
  type ExplainedPick,
  History,
  type PickSummary,
} from "../../surface/admin/index.ts";
import { version } from "../../version.ts";
import { modesOf } from "../modes.ts";
import { replicaName } from "../reservation-ids.ts";
import type { ConsoleQuestion } from "../shards/shard-messages.ts";
import type { ShardStatus } from "../shards/shard-supervisor.ts";
import { mergedPicks, mergedState } from "./merged-state.ts";

/** The shards, as the console asks them. */
export interface AskedShards {
  readonly shards: readonly ShardStatus[];
  /** JSON text; undefined when there is no answer in time. */
  askConsole(shard: number, question: ConsoleQuestion): Promise<string | undefined>;
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

  async state(): Promise<ConsoleState> {
    const states = await this.#askAll<ConsoleState>({ about: "state" });
    const views = this.#shards.shards.map((status) => ({ ...status, state: states.get(status.shard) }));
    return mergedState(views, {
      nowAtMs: this.#wall(),
      updateIntervalMs: this.#config.admin.updateIntervalMs,
      version,
      modes: modesOf(this.#config),
      startedAtMs: this.#startedAtMs,
      history: this.#noHistory,
      name: replicaName(this.#config),
      sharesLoad: this.#config.replicas.redis.url !== undefined,
    });
  }

  async picks(limit: number, requestId: string | undefined): Promise<readonly PickSummary[]> {
    const lists = await this.#askAll<readonly PickSummary[]>({ about: "picks", limit, requestId });
    return mergedPicks([...lists].map(([shard, picks]) => ({ shard, picks }))).slice(0, limit);
  }

  async explain(id: string): Promise<ExplainedPick | undefined> {
    const [, shard, number] = /^(\d+)-(\d+)$/.exec(id) ?? [];
    if (shard === undefined || number === undefined) return undefined;
    const text = await this.#shards.askConsole(Number(shard), { about: "pick", id: number });
    const pick = text === undefined ? null : (JSON.parse(text) as ExplainedPick | null);
    return pick === null ? undefined : { ...pick, id };
  }

  async #askAll<T>(question: ConsoleQuestion): Promise<ReadonlyMap<number, T>> {
    const texts = await Promise.all(
      this.#shards.shards.map(async ({ shard }) => [shard, await this.#shards.askConsole(shard, question)] as const),
    );
    return new Map(texts.flatMap(([shard, text]) => (text === undefined ? [] : [[shard, JSON.parse(text) as T]])));
  }
}
