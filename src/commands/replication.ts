import { randomUUID } from "node:crypto";
import type { Config } from "../config/index.ts";
import {
  RedisLink,
  type RedisLinkObserver,
  type ReplicaIdentity,
  ReplicaLoads,
  SessionSharing,
  type SiblingStatus,
  systemEnvironment,
} from "../replicas/index.ts";
import type { Logger, ReplicaSample } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";
import { readRedisSecrets } from "./redis-secrets.ts";
import { replicaName } from "./reservation-ids.ts";
import type { ShardSide } from "./shards/shard-side.ts";
import { isSharingSessions } from "./shared-sessions.ts";
import { hasName, siblingLog } from "./sibling-log.ts";

/** What is known of the other replicas, for people. */
export interface ReplicationStatus extends ReplicaIdentity {
  readonly isConnected: boolean;
  /** Whether another replica that is heard has this one's name: calls of reservations do not find their way then. */
  readonly isNameShared: boolean;
  readonly siblings: readonly SiblingStatus[];
}

/** Channels that all replicas hear. Who sends hears himself. */
export interface ReplicaLink {
  isOpen(): boolean;
  /** Rejects when the message did not get out. */
  publish(channel: string, text: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes the channels; tells `observer` of them later, never at once. */
type LinkMaker = (channels: readonly string[], observer: RedisLinkObserver) => ReplicaLink;

/** The sharing of load with other replicas, from `start` to `close`. */
export class Replication {
  readonly #identity: ReplicaIdentity;
  readonly #loads: ReplicaLoads;
  /** Undefined where sessions do not count. */
  readonly #sessions: SessionSharing | undefined;
  readonly #link: ReplicaLink;

  private constructor(config: Config, core: Core, log: Logger, makeLink: LinkMaker) {
    const { redis } = config.replicas;
    this.#identity = { id: randomUUID(), name: replicaName(config) };
    const loadChannel = `${redis.keyPrefix}load.v1`;
    const sessionChannel = `${redis.keyPrefix}sessions.v1`;
    const sinkOf = (channel: string) => ({
      isOpen: () => this.#link.isOpen(),
      publish: (text: string) => this.#link.publish(channel, text),
    });
    const observer = { ...siblingLog(log, this.#identity.name), greeted: () => this.#sessions?.replay() };
    this.#loads = new ReplicaLoads(this.#identity, core, sinkOf(loadChannel), redis, observer, systemEnvironment);
    const state = { sessions: core.sessions, ranks: this.#loads.ranks, catalogue: core.catalogue };
    this.#sessions = isSharingSessions(config)
      ? new SessionSharing(this.#identity.id, state, sinkOf(sessionChannel), redis, systemEnvironment)
      : undefined;
    this.#link = makeLink([loadChannel, sessionChannel], {
      connected: () => {
        this.#loads.connected();
        this.#sessions?.replay();
      },
      lost: () => undefined,
      message: (text, channel) => {
        if (channel === loadChannel) return this.#loads.receive(text);
        this.#sessions?.receive(text);
        return false;
      },
    });
  }

  /**
   * Begins to share load, through Redis where it is configured, else with the other shards; undefined = with nobody. Does not wait for Redis.
   * @throws Error when a file of the settings cannot be read
   */
  static async start(config: Config, core: Core, log: Logger, shard?: ShardSide): Promise<Replication | undefined> {
    const { redis } = config.replicas;
    const { url } = redis;
    if (url === undefined) {
      return shard && new Replication(config, core, log, (_channels, observer) => shard.link(observer));
    }
    const secrets = () => readRedisSecrets(redis);
    await secrets();
    return new Replication(config, core, log, (channels, observer) => {
      const told = loggedObserver(observer, log);
      return new RedisLink({ ...redis, url, channels }, secrets, told, systemEnvironment);
    });
  }

  status(): ReplicationStatus {
    const siblings = this.#loads.siblings();
    return {
      ...this.#identity,
      isConnected: this.#link.isOpen(),
      isNameShared: hasName(siblings, this.#identity.name),
      siblings,
    };
  }

  sample(): ReplicaSample {
    const siblings = this.#loads.siblings();
    const isNameShared = hasName(siblings, this.#identity.name);
    const { told = 0, learned = 0, malformed = 0 } = this.#sessions?.counts ?? {};
    const { dropped, ...counts } = this.#loads.counts;
    const allDropped = new Map<string, number>(dropped);
    if (malformed > 0) allDropped.set("malformed", (allDropped.get("malformed") ?? 0) + malformed);
    const sessions = { told, learned };
    const isConnected = this.#link.isOpen();
    return { ...counts, dropped: allDropped, sessions, isConnected, isNameShared, siblings: siblings.length };
  }

  async close(): Promise<void> {
    this.#sessions?.close();
    await this.#loads.close();
    await this.#link.close();
  }
}

function loggedObserver(observer: RedisLinkObserver, log: Logger): RedisLinkObserver {
  return {
    ...observer,
    connected: () => {
      log.info({}, "Redis is connected: this replica shares its load with others");
      observer.connected();
    },
    lost: (cause) => log.warn({ err: cause }, "Redis cannot be reached: picks go by the load of this replica alone"),
  };
}
