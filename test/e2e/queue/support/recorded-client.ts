import {
  type CancelReason,
  type OrphanReason,
  QueueClient,
  type QueueClientOptions,
  QueueError,
  type QueueObserver,
  type QueueOperation,
  type QueueRequest,
  systemQueueEnvironment,
} from "../../../../src/queue/index.ts";
import type { RedisSecrets } from "../../../../src/redis/index.ts";

const noSecrets: RedisSecrets = async () => ({ password: undefined, tls: { rejectUnauthorized: true } });

/** How a test reaches Redis. */
export interface ClientChanges extends Partial<Omit<QueueClientOptions, "redis">> {
  readonly redis?: Partial<QueueClientOptions["redis"]>;
  readonly secrets?: RedisSecrets;
  readonly environment?: Partial<typeof systemQueueEnvironment>;
}

/** A queue's client with all that it told. */
export class RecordedClient implements QueueObserver {
  readonly orphans: OrphanReason[] = [];
  readonly cancellations: { readonly why: CancelReason; readonly wasKnown: boolean }[] = [];
  readonly failures: { readonly operation: QueueOperation; readonly cause: unknown }[] = [];
  readonly losses: unknown[] = [];
  readonly gone: string[] = [];
  connections = 0;
  #client: QueueClient | undefined;

  static async start(url: string, changes: ClientChanges = {}): Promise<RecordedClient> {
    const { redis = {}, secrets = noSecrets, environment = {}, ...options } = changes;
    const recorded = new RecordedClient();
    recorded.#client = await QueueClient.start(
      { ...options, redis: { url, timeoutMs: 10_000, reconnectMinMs: 10, reconnectMaxMs: 100, ...redis } },
      { secrets, observer: recorded, environment: { ...systemQueueEnvironment, ...environment } },
    );
    return recorded;
  }

  get client(): QueueClient {
    if (this.#client === undefined) throw new Error("the client has not started");
    return this.#client;
  }

  /** What comes of a request: its payload, or the code of the error. */
  async ask(request: Partial<QueueRequest> = {}, signal = new AbortController().signal): Promise<string> {
    const whole = {
      payload: Buffer.from('{"model":"m"}'),
      endpoint: "/v1/chat/completions",
      timeoutMs: 60_000,
      ...request,
    };
    try {
      const { statusCode, payload, errorCode } = await this.client.submitAndAwait(whole, signal);
      return `${statusCode ?? errorCode ?? "plain"} ${payload}`;
    } catch (error) {
      return error instanceof QueueError ? error.code : (error as Error).name;
    }
  }

  connected(): void {
    this.connections++;
  }

  lost(cause: unknown): void {
    this.losses.push(cause);
  }

  orphaned(reason: OrphanReason): void {
    this.orphans.push(reason);
  }

  cancelled(why: CancelReason, wasKnown: boolean): void {
    this.cancellations.push({ why, wasKnown });
  }

  failed(operation: QueueOperation, cause: unknown): void {
    this.failures.push({ operation, cause });
  }

  removed(instances: readonly string[]): void {
    this.gone.push(...instances);
  }
}
