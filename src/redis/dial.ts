import { Redis, type RedisOptions } from "ioredis";

/** Where a Redis server is, and as whom it is asked. */
export interface RedisPlace {
  /** `redis://host:port`, or `rediss:` for TLS. With sentinels only its scheme counts. */
  readonly url: string;
  readonly username?: string | undefined;
  /** Sentinels that know the primary; absent = the URL's server is it. */
  readonly sentinel?:
    | {
        /** Of the group of servers. */
        readonly name: string;
        readonly addresses: readonly { readonly host: string; readonly port: number }[];
        readonly username?: string | undefined;
      }
    | undefined;
  /** Longest wait for a connection, ms. */
  readonly timeoutMs: number;
}

/** As Node's TLS takes it. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

interface Secrets {
  readonly password: string | undefined;
  /** Of the sentinels; absent = they ask for none. */
  readonly sentinelPassword?: string | undefined;
  /** Without meaning for `redis:`. */
  readonly tls: RedisTls;
}

/** What is read anew for each connection, so that it can be changed while the process runs. */
export type RedisSecrets = () => Promise<Secrets>;

/**
 * A client for one connection, not connected yet. When that ends, so does the client: it neither connects again by itself nor keeps commands
 * for later, and a command without a connection fails at once.
 */
export function dialRedis(place: RedisPlace, secrets: Secrets): Redis {
  const { url, username, timeoutMs } = place;
  const { protocol } = new URL(url);
  const options = {
    ...addressOf(place, secrets),
    lazyConnect: true,
    connectTimeout: timeoutMs,
    connectionName: "pointsman",
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    autoResubscribe: false,
    username,
    password: secrets.password,
    ...(protocol === "rediss:" ? { tls: secrets.tls } : {}),
  } satisfies RedisOptions;
  return new Redis(options);
}

function addressOf({ url, sentinel, timeoutMs }: RedisPlace, { sentinelPassword, tls }: Secrets) {
  const { protocol, hostname, port } = new URL(url);
  if (sentinel === undefined) {
    return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 6_379 : Number(port) };
  }
  return {
    sentinels: [...sentinel.addresses],
    name: sentinel.name,
    sentinelRetryStrategy: () => null,
    sentinelCommandTimeout: timeoutMs,
    sentinelUsername: sentinel.username,
    sentinelPassword,
    ...(protocol === "rediss:" ? { enableTLSForSentinelMode: true, sentinelTLS: tls } : {}),
  };
}

/** Resolves with the last error of a client, once it is closed for good. */
export function endOfClient(client: Redis): Promise<unknown> {
  let cause: unknown = new Error("the connection was closed");
  client.on("error", (error: unknown) => {
    cause = error;
  });
  return new Promise((resolve) => client.once("end", () => resolve(cause)));
}
