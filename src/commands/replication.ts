import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "../config/index.ts";
import {
  RedisLink,
  type RedisSecrets,
  type ReplicaIdentity,
  ReplicaLoads,
  type SiblingStatus,
  systemEnvironment,
} from "../replicas/index.ts";
import type { Logger, ReplicaSample } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";
import { replicaName } from "./reservation-ids.ts";

type RedisSettings = Config["replicas"]["redis"];

/** What is known of the other replicas, for people. */
export interface ReplicationStatus extends ReplicaIdentity {
  readonly isConnected: boolean;
  readonly siblings: readonly SiblingStatus[];
}

/** The sharing of load with other replicas, from `start` to `close`. */
export class Replication {
  readonly #identity: ReplicaIdentity;
  readonly #loads: ReplicaLoads;
  readonly #link: RedisLink;

  private constructor(config: Config, core: Core, log: Logger, secrets: RedisSecrets) {
    const { redis } = config.replicas;
    this.#identity = { id: randomUUID(), name: replicaName(config) };
    const sink = {
      isOpen: () => this.#link.isOpen(),
      publish: (text: string) => this.#link.publish(text),
    };
    this.#loads = new ReplicaLoads(this.#identity, core, sink, redis, siblingLog(log), systemEnvironment);
    this.#link = new RedisLink(
      { ...redis, url: redis.url ?? "", channel: `${redis.keyPrefix}load.v1` },
      secrets,
      {
        connected: () => {
          log.info({}, "Redis is connected: this replica shares its load with others");
          this.#loads.connected();
        },
        lost: (cause) =>
          log.warn({ err: cause }, "Redis cannot be reached: picks go by the load of this replica alone"),
        message: (text) => this.#loads.receive(text),
      },
      systemEnvironment,
    );
  }

  /**
   * Begins to share load; undefined = no Redis is configured. Does not wait for Redis.
   * @throws Error when a file of the settings cannot be read
   */
  static async start(config: Config, core: Core, log: Logger): Promise<Replication | undefined> {
    const { redis } = config.replicas;
    if (redis.url === undefined) return undefined;
    const secrets = () => readSecrets(redis);
    await secrets();
    return new Replication(config, core, log, secrets);
  }

  status(): ReplicationStatus {
    return { ...this.#identity, isConnected: this.#link.isOpen(), siblings: this.#loads.siblings() };
  }

  sample(): ReplicaSample {
    const siblings = this.#loads.siblings().length;
    return { ...this.#loads.counts, isConnected: this.#link.isOpen(), siblings };
  }

  async close(): Promise<void> {
    await this.#loads.close();
    await this.#link.close();
  }
}

function siblingLog(log: Logger) {
  return {
    joined: (replicaId: string, replica: string) => log.info({ replica, replicaId }, "another replica is heard"),
    left: (replicaId: string, replica: string, why: "silent" | "farewell") => {
      const text = "another replica is gone: its load no longer counts";
      if (why === "farewell") log.info({ replica, replicaId, why }, text);
      else log.warn({ replica, replicaId, why }, text);
    },
  };
}

async function readSecrets({ passwordFile, tls }: RedisSettings): ReturnType<RedisSecrets> {
  const read = async (file: string | undefined) => (file === undefined ? undefined : await readFile(file, "utf8"));
  const [password, ca, cert, key] = await Promise.all([passwordFile, tls.caFile, tls.certFile, tls.keyFile].map(read));
  return {
    // Files end with a line break, passwords do not.
    password: password?.replace(/\r?\n$/, ""),
    tls: {
      rejectUnauthorized: tls.verify,
      ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}
