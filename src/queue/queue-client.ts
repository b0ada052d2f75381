import { KeptConnection } from "../redis/index.ts";
import { type CanaryFinding, runCanary } from "./canary.ts";
import { Cancellations } from "./cancellations.ts";
import { PendingRequest, type WaitEnd } from "./pending-request.ts";
import type { QueueEnvironment } from "./queue-environment.ts";
import { QueueError } from "./queue-error.ts";
import { endsConnection, type QueueConnection, QueueLink, UnsupportedRedisError } from "./queue-link.ts";
import {
  type QueueClientDependencies,
  type QueueClientOptions,
  type QueueObserver,
  type ResolvedQueueOptions,
  resolveDependencies,
  resolveQueueOptions,
} from "./queue-options.ts";
import type { QueueRequest, QueueResult } from "./queue-request.ts";
import { dialedLists, type RequestLists } from "./request-lists.ts";
import { ResultReader } from "./result-reader.ts";
import { drawSubmission, instanceList } from "./submission.ts";
import { submit } from "./submit.ts";
import { findMissing, type Missing } from "./survivors.ts";
import { Upkeep } from "./upkeep.ts";
import { Waiters } from "./waiters.ts";

/**
 * A producer for llm-d-async's queues over Redis SortedSet that waits for its results: from `start` to `close`. It never parks a write: while
 * Redis cannot be reached requests fail at once, and those that wait already go on waiting.
 */
export class QueueClient {
  readonly #options: ResolvedQueueOptions;
  readonly #observer: QueueObserver;
  readonly #environment: QueueEnvironment;
  readonly #instance: string;
  readonly #waiters: Waiters;
  readonly #cancellations: Cancellations;
  readonly #upkeep: Upkeep;
  readonly #lists: RequestLists | undefined;
  readonly #kept: KeptConnection<QueueConnection>;
  #missing: Missing | undefined;
  #isClosed = false;
  #firstTry: ((cause: unknown) => void) | undefined;

  private constructor(
    options: ResolvedQueueOptions,
    { secrets, observer, environment }: ReturnType<typeof resolveDependencies>,
    firstTry: (cause: unknown) => void,
  ) {
    this.#options = options;
    this.#observer = observer;
    this.#environment = environment;
    this.#firstTry = firstTry;
    // Fresh for each start: a list that was used before may still get results of its last user.
    this.#instance = environment.uuid();
    this.#waiters = new Waiters((reason) => observer.orphaned(reason));
    this.#cancellations = new Cancellations(options.maxWaiters, observer, environment);
    this.#upkeep = new Upkeep({ ...options, instance: this.#instance }, observer, environment);
    const hasReader = options.resultLists === "instance";
    this.#lists = hasReader ? undefined : dialedLists(options.redis, secrets, environment);
    this.#kept = new KeptConnection(
      new QueueLink(options.redis, secrets, hasReader, environment),
      options.redis,
      { connected: (connection) => this.#connected(connection), lost: (cause) => this.#lost(cause) },
      environment,
    );
  }

  /**
   * Starts, and tries to connect once; when that fails it goes on trying. Rejects with UnsupportedRedisError where the server cannot be used
   * (a Redis Cluster), with RangeError on an option outside its range.
   */
  static async start(options: QueueClientOptions, dependencies: QueueClientDependencies = {}): Promise<QueueClient> {
    const resolved = resolveQueueOptions(options);
    const whole = resolveDependencies(dependencies);
    let client: QueueClient | undefined;
    const cause = await new Promise<unknown>((resolve) => {
      client = new QueueClient(resolved, whole, resolve);
    });
    if (cause instanceof UnsupportedRedisError) {
      await client?.close();
      throw cause;
    }
    return client as QueueClient;
  }

  /** Whether requests can be submitted. */
  get isConnected(): boolean {
    return this.#kept.current !== undefined;
  }

  /** Requests that wait for their results. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Requests in a queue when it was last looked at; undefined = it never was. */
  depthOf(queue: string): number | undefined {
    return this.#upkeep.depthOf(queue);
  }

  /**
   * Submits a request and waits for its result, which may tell of a failure as well. Once the signal aborts, or `timeoutMs` is over, the request is
   * cancelled: a processor that has not sent it yet will not.
   * Rejects with QueueError, or with the signal's reason.
   */
  async submitAndAwait(request: QueueRequest, signal: AbortSignal): Promise<QueueResult> {
    signal.throwIfAborted();
    const connection = this.#admit(request.queue ?? this.#options.defaultQueue);
    const pending = this.#await(request, signal);
    this.#submit(pending, connection, request.written);
    return await pending.result;
  }

  /** Cancels a request by its id, wherever it was submitted. It may run on where it is under way. */
  cancel(id: string): void {
    this.#cancellations.cancel(id, "caller", this.#kept.current);
  }

  /**
   * Finds out whether results of a queue come back here: submits a request that is cancelled already, which the processor answers without
   * sending it anywhere. Takes up to `timeoutMs`. Rejects with the signal's reason.
   */
  async canary(queue: string, timeoutMs: number, signal: AbortSignal): Promise<CanaryFinding> {
    const connection = this.#kept.current;
    if (connection === undefined) return { kind: "unavailable" };
    return await runCanary(
      { queue, timeoutMs, signal },
      {
        client: connection.commands,
        environment: this.#environment,
        wait: (request) => {
          const pending = this.#await(request, signal);
          if (this.#lists !== undefined) this.#readOwnList(pending, this.#lists);
          return pending;
        },
      },
    );
  }

  /** Closes: what waits is cancelled and rejected with `closed`. Lets callers wait before, if they shall. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#kept.current;
    for (const waiter of [...this.#waiters.all()]) {
      waiter.settle(new QueueError("the queue's client is closing", { code: "closed" }));
      this.#cancellations.cancel(waiter.id, "caller", connection);
    }
    await this.#cancellations.settled();
    await this.#upkeep.close(connection);
    this.#lists?.close();
    await this.#kept.close();
  }

  /** @throws QueueError */
  #admit(queue: string): QueueConnection {
    if (this.#isClosed) throw new QueueError("the queue's client is closed", { code: "closed" });
    const { maxWaiters, maxQueueDepth } = this.#options;
    if (this.#waiters.size >= maxWaiters) {
      throw new QueueError(`${maxWaiters} requests wait already, no more are taken`, { code: "saturated" });
    }
    const depth = this.#upkeep.watch(queue);
    if (maxQueueDepth > 0 && depth >= maxQueueDepth) {
      throw new QueueError(`the queue holds ${depth} requests, no more are taken`, { code: "queue_full" });
    }
    const connection = this.#kept.current;
    if (connection === undefined) throw new QueueError("the queue cannot be reached", { code: "unavailable" });
    return connection;
  }

  /** @throws QueueError */
  #await(request: QueueRequest, signal: AbortSignal): PendingRequest {
    const { timeoutMs } = request;
    if (!(timeoutMs > 0)) throw new QueueError("the deadline has passed", { code: "deadline_exceeded" });
    const submission = drawSubmission(request, this.#options, this.#instance, this.#environment);
    if (this.#waiters.has(submission.id)) {
      throw new QueueError("a request of this id is waited for already", { code: "invalid_request" });
    }
    const pending = new PendingRequest({
      submission,
      timeoutMs,
      signal,
      environment: this.#environment,
      ended: (each, end) => this.#ended(each, end),
    });
    // Before the request is written: its result may be quicker than the answer to the writing.
    this.#waiters.add(pending);
    return pending;
  }

  #submit(pending: PendingRequest, { commands, fail }: QueueConnection, written: QueueRequest["written"]): void {
    const { submission } = pending;
    if (this.#lists !== undefined) this.#readOwnList(pending, this.#lists);
    const registered = this.#lists === undefined ? undefined : this.#upkeep.register(commands, submission);
    const writing = submit(commands, submission, this.#options.wire, this.#environment.wallMs());
    Promise.all([registered, writing]).then(
      () => {
        pending.confirm();
        written?.();
      },
      (cause: unknown) => {
        this.#observer.failed("submit", cause);
        if (endsConnection(cause)) fail(cause);
        pending.settle(new QueueError("the queue did not take the request", { code: "unavailable", cause }));
      },
    );
  }

  #readOwnList({ submission, over }: PendingRequest, lists: RequestLists): void {
    lists.take(submission.resultList, over.signal).then(
      (text) => text === undefined || this.#waiters.deliver(text),
      // It never rejects.
      () => undefined,
    );
  }

  #ended(pending: PendingRequest, end: WaitEnd): void {
    this.#waiters.remove(pending);
    if (end === "deadline" || end === "caller") {
      this.#cancellations.cancel(pending.id, end, this.#kept.current);
    } else if (end === "failed" && !pending.isConfirmed) {
      this.#cancellations.cancel(pending.id, "unconfirmed", this.#kept.current);
    }
    if (this.#lists !== undefined) this.#upkeep.listDone(pending.submission, end === "answered", this.#kept.current);
  }

  #connected(connection: QueueConnection): void {
    this.#observer.connected();
    this.#upkeep.connected(connection);
    this.#cancellations.flush(connection);
    this.#serve(connection).catch((cause: unknown) => connection.fail(cause));
    this.#tried(undefined);
  }

  #lost(cause: unknown): void {
    this.#observer.lost(cause);
    this.#upkeep.lost();
    this.#missing = undefined;
    for (const waiter of [...this.#waiters.all()]) {
      if (waiter.isConfirmed) continue;
      waiter.settle(new QueueError("the queue cannot be reached", { code: "unavailable", cause }));
    }
    this.#tried(cause);
  }

  #tried(cause: unknown): void {
    this.#firstTry?.(cause);
    this.#firstTry = undefined;
  }

  /** Reads results until the connection ends. Rejects then. */
  async #serve({ commands, reader }: QueueConnection): Promise<void> {
    if (reader === undefined) return;
    const list = instanceList(this.#options.resultPrefix, this.#instance);
    const confirmed = [...this.#waiters.all()].filter(({ isConfirmed }) => isConfirmed);
    if (confirmed.length > 0) this.#missing = await findMissing(commands, confirmed, list);
    this.#giveUpMissing(0);
    const { resultsAtOnce } = this.#options;
    await new ResultReader(
      reader,
      { list, resultsAtOnce },
      { deliver: (text) => this.#waiters.deliver(text), looked: (count) => this.#giveUpMissing(count) },
      () => this.#environment.now(),
    ).run();
  }

  /** Tells those whose requests are lost, once what could have been their results was read. @param read results that were read since */
  #giveUpMissing(read: number): void {
    if (this.#missing === undefined) return;
    const unreadResults = this.#missing.unreadResults - read;
    const { waiters } = this.#missing;
    this.#missing = unreadResults > 0 ? { waiters, unreadResults } : undefined;
    if (unreadResults > 0) return;
    for (const waiter of waiters) waiter.settle(new QueueError("the queue has lost the request", { code: "lost" }));
  }
}
