import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { GrpcGateway } from "../../contract/ext-proc/grpc-gateway.ts";
import { requestBody, requestHeaders, setHeaders } from "../../unit/surface/ext-proc/messages.ts";
import { CuttableLink } from "../support/cuttable-link.ts";
import { freePorts } from "../support/free-ports.ts";
import { Picker, type PickerSettings } from "../support/picker.ts";
import { mergeSettings } from "../support/picker-settings.ts";
import type { RedisServer } from "../support/redis-server.ts";
import { until } from "../support/until.ts";

/** Who owns the requests of a group. */
export type GroupMode = "reserve" | "ext-proc";

/** A request that was placed. */
export interface Held {
  readonly worker: string;
  release(): Promise<void>;
}

/** A worker's load as one replica sees it. */
interface Load {
  readonly worker_id: bigint | number;
  readonly active_requests: number;
  readonly potential_prefill_tokens: number;
  readonly potential_decode_blocks: number;
}

const workers = Array.from({ length: 4 }, (_, i) => ({
  name: `w${i}`,
  id: `${i + 1}`,
  endpoint: `10.0.0.${i + 1}:80`,
}));

/** One `pointsman serve` of a group, with a way to Redis of its own. */
export class Replica {
  readonly name: string;
  readonly link: CuttableLink;
  readonly #routePort: number;
  readonly #picker: Picker;
  readonly #agent = new Agent({ headersTimeout: 60_000, bodyTimeout: 60_000 });
  readonly #gateway: GrpcGateway | undefined;
  isDead = false;

  private constructor(
    name: string,
    link: CuttableLink,
    picker: Picker,
    { routePort, extProcPort }: { readonly routePort: number; readonly extProcPort: number | undefined },
  ) {
    this.name = name;
    this.link = link;
    this.#picker = picker;
    this.#routePort = routePort;
    this.#gateway = extProcPort === undefined ? undefined : new GrpcGateway(`127.0.0.1:${extProcPort}`);
  }

  static async start(name: string, mode: GroupMode, redis: RedisServer, changes: PickerSettings): Promise<Replica> {
    const link = await CuttableLink.to(redis.port);
    const [routePort = 0, metricsPort = 0, extProcPort = 0, healthPort = 0] = await freePorts(4);
    const settings: PickerSettings = {
      mode,
      ...(mode === "ext-proc" ? { mixedModes: ["query"] } : {}),
      models: [{ name: "m", loadOnly: true }],
      workers,
      routeApi: { listen: `127.0.0.1:${routePort}` },
      extProc: { listen: `127.0.0.1:${extProcPort}`, tls: { mode: "off" } },
      health: { listen: `127.0.0.1:${healthPort}` },
      metrics: { listen: `127.0.0.1:${metricsPort}` },
      fleet: { healthCheck: { enabled: false } },
      shutdown: { drainTimeoutMs: 100 },
      replicas: { id: name, redis: { url: `redis://127.0.0.1:${link.port}` } },
    };
    const picker = await Picker.start(mergeSettings(settings, changes), metricsPort);
    const ports = { routePort, extProcPort: mode === "ext-proc" ? extProcPort : undefined };
    const replica = new Replica(name, link, picker, ports);
    await until(async () => (await replica.get("/ready")).status === 200, {
      what: `${name} to be ready`,
      timeoutMs: 60_000,
    });
    return replica;
  }

  /** Places a request and keeps it running. Rejects when it is not placed within a minute. */
  pick(headers: Readonly<Record<string, string>> = {}): Promise<Held> {
    return this.#gateway === undefined ? this.#reserve() : this.#stream(this.#gateway, headers);
  }

  /** Every worker's load, in order. */
  async loads(): Promise<string> {
    const { text } = await this.get("/loads?model_name=m");
    const [{ loads }] = JSON.parse(text) as [{ readonly loads: readonly Load[] }];
    return loads
      .map((load) => `${load.active_requests}/${load.potential_prefill_tokens}/${load.potential_decode_blocks}`)
      .join(" ");
  }

  /** Names of the other replicas that it hears. */
  async siblings(): Promise<readonly string[]> {
    const { text } = await this.get("/replicas");
    return (JSON.parse(text) as { readonly siblings: readonly { readonly name: string }[] }).siblings
      .map(({ name }) => name)
      .sort();
  }

  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const { statusCode, body } = await request(`http://127.0.0.1:${this.#routePort}${path}`, {
      dispatcher: this.#agent,
    });
    return { status: statusCode, text: await body.text() };
  }

  metricsText(): Promise<string> {
    return this.#picker.metricsText();
  }

  log(): string {
    return this.#picker.tail();
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.isDead) return;
    this.isDead = true;
    this.#gateway?.close();
    await this.#picker.stop(signal);
    await this.#agent.close();
    await this.link.close();
  }

  async #reserve(): Promise<Held> {
    const url = `http://127.0.0.1:${this.#routePort}`;
    const { statusCode, body } = await request(`${url}/route_and_reserve`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model_name: "m", token_ids: Array.from({ length: 64 }, (_, i) => i) }),
      dispatcher: this.#agent,
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
    const { endpoint, reservation } = JSON.parse(text);
    return {
      worker: endpoint,
      release: async () => {
        const ended = await request(`${url}/reservations/${reservation.reservation_id}`, {
          method: "DELETE",
          dispatcher: this.#agent,
        });
        await ended.body.dump();
      },
    };
  }

  async #stream(gateway: GrpcGateway, headers: Readonly<Record<string, string>>): Promise<Held> {
    const stream = gateway.open();
    const timer = setTimeout(() => stream.call.cancel(), 60_000);
    stream.send(
      requestHeaders({ headers }),
      requestBody('{"model":"m","messages":[{"role":"user","content":"x"}]}', true),
    );
    const [first] = await stream.received(1);
    clearTimeout(timer);
    const worker = setHeaders(first)["x-gateway-destination-endpoint"];
    if (worker === undefined) throw new Error(`not placed: ${JSON.stringify(first ?? stream.status)}`);
    return {
      worker,
      release: async () => {
        await stream.ended();
      },
    };
  }
}

/** Replicas that share a Redis. */
export class ReplicaGroup {
  readonly replicas: readonly Replica[];

  private constructor(replicas: readonly Replica[]) {
    this.replicas = replicas;
  }

  static async start(
    mode: GroupMode,
    redis: RedisServer,
    { size = 3, changes = {} }: { readonly size?: number; readonly changes?: PickerSettings } = {},
  ): Promise<ReplicaGroup> {
    const names = Array.from({ length: size }, (_, i) => `replica-${i}`);
    // The first one builds what is not built.
    const [first = "", ...others] = names;
    const started = [await Replica.start(first, mode, redis, changes)];
    const results = await Promise.allSettled(others.map((name) => Replica.start(name, mode, redis, changes)));
    for (const result of results) if (result.status === "fulfilled") started.push(result.value);
    const group = new ReplicaGroup(started);
    if (started.length === size) return group;
    await group.stop();
    throw new AggregateError(results.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])));
  }

  get live(): readonly Replica[] {
    return this.replicas.filter(({ isDead }) => !isDead);
  }

  /** The replica of this number. */
  at(i: number): Replica {
    const replica = this.replicas[i];
    if (replica === undefined) throw new Error(`there is no replica ${i}`);
    return replica;
  }

  /**
   * Waits until all of `replicas` see the same loads, with that many requests in all.
   * @returns how long it took, in ms
   */
  async agreement(requests: number, replicas: readonly Replica[] = this.live): Promise<number> {
    const startMs = performance.now();
    const look = async () => {
      const [first = "", ...others] = await Promise.all(replicas.map((replica) => replica.loads()));
      const total = first.split(" ").reduce((sum, load) => sum + Number(load.split("/", 1)[0]), 0);
      return total === requests && others.every((each) => each === first);
    };
    await until(look, { what: `${replicas.length} replicas to agree on ${requests} requests` });
    return performance.now() - startMs;
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
  }
}

/** Short requests on some replicas, one after the other on each, from construction to `end`. */
export class Traffic {
  readonly #running: Promise<unknown>;
  readonly failures: string[] = [];
  readonly #picksOf: number[];
  slowestMs = 0;
  #isOver = false;

  constructor(replicas: readonly Replica[]) {
    this.#picksOf = replicas.map(() => 0);
    this.#running = Promise.all(replicas.map((replica, i) => this.#run(replica, i)));
  }

  get picks(): number {
    return this.#picksOf.reduce((sum, picks) => sum + picks, 0);
  }

  /** Waits until each replica has placed some requests more: it does not wait for what is away. */
  async goesOn(): Promise<void> {
    const enough = this.#picksOf.map((picks) => picks + 5);
    const look = () => this.#picksOf.every((picks, i) => picks >= (enough[i] ?? 0));
    await until(look, { what: "more requests to be placed by each replica" });
  }

  /** Stops, and waits for what runs. */
  async end(): Promise<this> {
    this.#isOver = true;
    await this.#running;
    return this;
  }

  async #run(replica: Replica, i: number): Promise<void> {
    while (!this.#isOver) {
      const startMs = performance.now();
      try {
        const held = await replica.pick();
        this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs);
        this.#picksOf[i] = (this.#picksOf[i] ?? 0) + 1;
        await held.release();
      } catch (error) {
        this.failures.push(`${replica.name}: ${error}`);
      }
      await delay(5);
    }
  }
}
