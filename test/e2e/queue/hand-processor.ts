import { Redis } from "ioredis";

/** A member of the queue, as far as tests look at it. */
export interface Member {
  readonly internal: {
    readonly request_token: string;
    readonly request_queue_name: string;
    readonly result_queue_name: string;
    readonly enqueue_seq?: number;
  };
  readonly data: {
    readonly id: string;
    readonly created: number;
    readonly deadline: number;
    readonly payload: unknown;
    readonly endpoint: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** The processor's part of the wire, worked by hand: nothing happens that a test does not say. */
export class HandProcessor {
  readonly redis: Redis;

  constructor(url: string) {
    this.redis = new Redis(url);
    this.redis.on("error", () => undefined);
  }

  /** Takes the next request; undefined = there is none. */
  async pop(queue = "request-sortedset"): Promise<{ readonly member: Member; readonly text: string } | undefined> {
    const [text] = await this.redis.zpopmin(queue, 1);
    return text === undefined ? undefined : { member: JSON.parse(String(text)) as Member, text: String(text) };
  }

  /** Waits for the next request. */
  async next(queue = "request-sortedset"): Promise<Member> {
    const reply = await this.redis.bzpopmin(queue, 60);
    if (reply === null) throw new Error("no request came");
    return JSON.parse(String(reply[1])) as Member;
  }

  /** Writes a result and forgets the request. @param list default: the one that the request names */
  async answer({ data, internal }: Member, result: object, list = internal.result_queue_name): Promise<void> {
    await this.redis.lpush(list, JSON.stringify({ id: data.id, ...result }));
    await this.redis.del(`request-active:${data.id}`, `request-cancel:${data.id}`);
  }

  async isCancelled({ data, internal }: Member): Promise<boolean> {
    return (await this.redis.get(`request-cancel:${data.id}`)) === internal.request_token;
  }

  close(): void {
    this.redis.disconnect();
  }
}
