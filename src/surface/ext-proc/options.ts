import type { PemSource } from "../../http/index.ts";
import type { BodyModeOptions } from "./body-mode.ts";

/** Settings of the ext_proc surface. */
export interface ExtProcOptions extends StreamOptions, LimitOptions, ListenOptions {}

/** What a stream may do. */
export interface StreamOptions extends Partial<BodyModeOptions> {
  /** Longest time from the end of a request's body to its pick, in ms; then the client gets 504. Default 10 000. */
  readonly pickDeadlineMs?: number;
  /**
   * Longest time from the opening of a stream to the end of its request's body, in ms; then the client gets 408 and its place among the
   * requests in flight is free. Default 60 000; 0 = any time.
   */
  readonly bodyDeadlineMs?: number;
  /** Whether body fields that choose a worker are honoured. Default false: they are refused. */
  readonly trustClient?: boolean;
  /**
   * Honours `test-epp-endpoint-selection` and answers with `x-conformance-test-served-endpoint`, for the Gateway API
   * inference extension's conformance tests. Lets any client choose its worker. Default false.
   */
  readonly conformanceHeaders?: boolean;
  /** Whether an `x-request-id` made for a request without one goes on to the worker. Default true. */
  readonly forwardGeneratedRequestId?: boolean;
  /** `Retry-After` of 429 and 503 answers whose error does not tell one, in whole seconds; 0 = at once. Default 1. */
  readonly retryAfterSeconds?: number;
}

/** Bounds on what clients can make this process hold. */
export interface LimitOptions {
  /** Longest request body, in bytes; a longer one is refused with 413. Default 32 MiB. */
  readonly maxBodyBytes?: number;
  /** Sum of the request bodies held at once, in bytes; beyond it 429. Default 512 MiB. */
  readonly maxBodyBytesInFlight?: number;
  /** Requests between their headers and their answer; one more is refused with 429. Default 1 024. */
  readonly maxPicksInFlight?: number;
  /**
   * Longest gRPC message accepted, in bytes. A longer one fails its stream, which the client sees as 500, so it has to
   * exceed `maxBodyBytes` where the gateway buffers bodies. Default 64 MiB.
   */
  readonly maxMessageBytes?: number;
  /** Longest object with token counts that is read of a response, in bytes; a longer one is counted as unread. Default 16 KiB. */
  readonly maxUsageBytes?: number;
  /** What a gateway that reads slowly may leave with us on a stream, in bytes, before we stop reading what it sends. Default 1 MiB. */
  readonly maxUnsentBytes?: number;
  /** Memory that is kept to be used again for bodies and answers, in bytes; 0 = none is. Default 64 MiB. */
  readonly maxReusedBufferBytes?: number;
  /** HTTP/2 streams that one connection may have open; 0 = no limit. Default 0. */
  readonly maxStreamsPerConnection?: number;
}

/** Where and how the surface listens. */
export interface ListenOptions {
  /** Default `0.0.0.0`; IPv6 without brackets. */
  readonly host?: string;
  /** Default 9002; 0 = any free port. */
  readonly port?: number;
  /** Whether other processes listen on that port: the system spreads connections among them (SO_REUSEPORT). Default false. */
  readonly sharesPort?: boolean;
  /** Host of the plain-text health service. Default: that of the ext_proc service. */
  readonly healthHost?: string;
  /** Its port. Default 9003; 0 = any free port; `off` = health is answered on the ext_proc port only. */
  readonly healthPort?: number | "off";
  /** Default `{ kind: "self-signed" }`. */
  readonly tls?: TlsOptions;
  /** Time between two keepalive pings on an idle connection, in ms. Default 60 000. */
  readonly keepaliveTimeMs?: number;
  /** How long the gateway may take to answer a ping, in ms, before its connection is closed. Default 20 000. */
  readonly keepaliveTimeoutMs?: number;
  /**
   * Time between the loss of readiness and the refusal of new requests (503) when draining, in ms: what gateways need to
   * notice. Default 5 000.
   */
  readonly drainNoticeMs?: number;
}

/**
 * `self-signed`: a certificate made at start, valid ten years; for gateways that do not verify (the endpoint-picker protocol's default).
 * `files`: read again when they change; new connections use the new ones.
 */
export type TlsOptions = PemSource | { readonly kind: "plaintext" };

export type ResolvedExtProcOptions = Required<ExtProcOptions>;

const MEBIBYTE = 1 << 20;

const defaults: Omit<ResolvedExtProcOptions, "healthHost"> = {
  requestBodyMode: "auto",
  responseBodyMode: "auto",
  untoldRequestBodyMode: "full-duplex-streamed",
  untoldResponseBodyMode: "full-duplex-streamed",
  pickDeadlineMs: 10_000,
  bodyDeadlineMs: 60_000,
  trustClient: false,
  conformanceHeaders: false,
  forwardGeneratedRequestId: true,
  retryAfterSeconds: 1,
  maxBodyBytes: 32 * MEBIBYTE,
  maxBodyBytesInFlight: 512 * MEBIBYTE,
  maxPicksInFlight: 1_024,
  maxMessageBytes: 64 * MEBIBYTE,
  maxUsageBytes: 16_384,
  maxUnsentBytes: MEBIBYTE,
  maxReusedBufferBytes: 64 * MEBIBYTE,
  maxStreamsPerConnection: 0,
  host: "0.0.0.0",
  port: 9002,
  sharesPort: false,
  healthPort: 9003,
  tls: { kind: "self-signed" },
  keepaliveTimeMs: 60_000,
  keepaliveTimeoutMs: 20_000,
  drainNoticeMs: 5_000,
};

/** Node's timers fire at once beyond it. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const MAX_HTTP2_STREAMS = 2 ** 31 - 1;

const positiveSizes = [
  "maxBodyBytes",
  "maxBodyBytesInFlight",
  "maxPicksInFlight",
  "maxMessageBytes",
  "maxUsageBytes",
  "maxUnsentBytes",
] as const;

/** Fills in defaults. @throws RangeError naming the setting and its value */
export function resolveExtProcOptions(options: ExtProcOptions = {}): ResolvedExtProcOptions {
  const { host } = { ...defaults, ...options };
  const resolved = { ...defaults, healthHost: host, ...options };
  for (const name of ["pickDeadlineMs", "keepaliveTimeMs", "keepaliveTimeoutMs"] as const) {
    checkRange(name, resolved[name], 1, MAX_TIMER_MS);
  }
  checkRange("maxReusedBufferBytes", resolved.maxReusedBufferBytes, 0, Number.MAX_SAFE_INTEGER);
  checkRange("bodyDeadlineMs", resolved.bodyDeadlineMs, 0, MAX_TIMER_MS);
  checkRange("drainNoticeMs", resolved.drainNoticeMs, 0, MAX_TIMER_MS);
  checkRange("retryAfterSeconds", resolved.retryAfterSeconds, 0, Number.MAX_SAFE_INTEGER);
  checkRange("maxStreamsPerConnection", resolved.maxStreamsPerConnection, 0, MAX_HTTP2_STREAMS);
  for (const name of positiveSizes) checkRange(name, resolved[name], 1, Number.MAX_SAFE_INTEGER);
  checkRange("port", resolved.port, 0, 65_535);
  if (resolved.healthPort !== "off") checkRange("healthPort", resolved.healthPort, 0, 65_535);
  if (resolved.tls.kind !== "plaintext") {
    checkRange("tls.reloadIntervalMs", resolved.tls.reloadIntervalMs ?? 0, 0, MAX_TIMER_MS);
  }
  return resolved;
}

function checkRange(name: string, value: number, least: number, most: number): void {
  if (value >= least && value <= most) return;
  throw new RangeError(`extProc.${name} must be ${least} to ${most}, got ${value}`);
}
