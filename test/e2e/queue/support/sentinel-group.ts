import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { serverBinary } from "../../support/envoy-binary.ts";
import { freePorts } from "../../support/free-ports.ts";
import { OwnProcess } from "../../support/own-process.ts";
import { type RedisKind, RedisServer } from "../../support/redis-server.ts";
import { until } from "../../support/until.ts";

/** A primary, its replica, and a sentinel that puts the replica in the primary's place when that one fails. */
export class SentinelGroup {
  readonly name = "queue";
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  readonly #sentinel: OwnProcess;
  readonly #port: number;
  readonly #folder: string;

  private constructor(
    servers: readonly [RedisServer, RedisServer],
    { sentinel, port, folder }: { sentinel: OwnProcess; port: number; folder: string },
  ) {
    [this.primary, this.replica] = servers;
    this.#sentinel = sentinel;
    this.#port = port;
    this.#folder = folder;
  }

  /** Resolves once the sentinel knows of both. */
  static async start(kind: RedisKind): Promise<SentinelGroup> {
    const primary = await RedisServer.start(kind);
    const replica = await RedisServer.start(kind, ["--replicaof", "127.0.0.1", `${primary.port}`]);
    const [port = 0] = await freePorts(1);
    const folder = await mkdtemp(join(tmpdir(), "pointsman-sentinel-"));
    const file = join(folder, "sentinel.conf");
    const lines = [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir ${folder}`,
      `sentinel monitor queue 127.0.0.1 ${primary.port} 1`,
      "sentinel down-after-milliseconds queue 300",
      "sentinel failover-timeout queue 2000",
    ];
    await writeFile(file, `${lines.join("\n")}\n`);
    const sentinel = await OwnProcess.start({ name: "sentinel", file: serverBinary(kind), args: [file, "--sentinel"] });
    const group = new SentinelGroup([primary, replica], { sentinel, port, folder });
    await group.#untilKnown();
    return group;
  }

  /** `host:port` of the sentinel. */
  get address(): { readonly host: string; readonly port: number } {
    return { host: "127.0.0.1", port: this.#port };
  }

  /** Resolves once the replica is the primary. */
  async failedOver(): Promise<void> {
    const replica = new Redis(this.replica.url);
    const isPrimary = async () => (await replica.info("replication")).includes("role:master");
    await until(isPrimary, { what: "the failover", check: () => this.#sentinel.assertRunning() });
    replica.disconnect();
  }

  async stop(): Promise<void> {
    await this.#sentinel.end();
    await this.replica.stop();
    await this.primary.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #untilKnown(): Promise<void> {
    const sentinel = new Redis({ ...this.address, retryStrategy: () => 50 });
    sentinel.on("error", () => undefined);
    await until(
      async () => {
        const replicas = await sentinel.call("SENTINEL", "REPLICAS", this.name);
        return JSON.stringify(replicas).includes('"master-link-status","ok"') || hasLink(replicas);
      },
      { what: "the sentinel to know the replica", check: () => this.#sentinel.assertRunning() },
    );
    sentinel.disconnect();
  }
}

/** As maps, from the third version of the protocol on. */
function hasLink(replicas: unknown): boolean {
  return JSON.stringify(replicas).includes('"master-link-status":"ok"');
}
