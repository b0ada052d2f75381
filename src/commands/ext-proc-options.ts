import { type Config, parseAddress } from "../config/index.ts";
import type { ExtProcOptions, TlsOptions } from "../surface/ext-proc/index.ts";
import { tlsOf } from "./listener-tls.ts";
import { isPortShared } from "./shards/shard-config.ts";

/** The settings of the ext_proc surface, in its own terms. */
export function extProcOptions(config: Config): ExtProcOptions {
  const { extProc, health, shutdown } = config;
  return {
    ...parseAddress(extProc.listen),
    sharesPort: isPortShared(config),
    ...bodyModes(extProc.bodyMode),
    ...healthListener(health.listen),
    tls: tlsOptions(extProc.tls),
    bodyDeadlineMs: extProc.bodyDeadlineMs,
    pickDeadlineMs: extProc.pickDeadlineMs,
    trustClient: extProc.trustClientPins,
    conformanceHeaders: extProc.conformanceHeaders,
    forwardGeneratedRequestId: extProc.forwardGeneratedRequestId,
    retryAfterSeconds: extProc.retryAfterSeconds,
    maxStreamsPerConnection: extProc.maxStreamsPerConnection,
    maxBodyBytes: extProc.maxBodyBytes,
    maxBodyBytesInFlight: extProc.maxInFlightBodyBytes,
    maxPicksInFlight: extProc.maxInFlightRequests,
    maxMessageBytes: extProc.maxReceiveMessageBytes,
    maxUsageBytes: extProc.maxUsageBytes,
    maxUnsentBytes: extProc.maxUnsentBytes,
    maxReusedBufferBytes: extProc.maxReusedBufferBytes,
    drainNoticeMs: shutdown.readinessDelayMs,
  };
}

/** Where health is told, in the surface's terms. */
export function healthListener(listen: string): Pick<ExtProcOptions, "healthHost" | "healthPort"> {
  if (listen === "off") return { healthPort: "off" };
  const { host, port } = parseAddress(listen);
  return { healthHost: host, healthPort: port };
}

function bodyModes(mode: Config["extProc"]["bodyMode"]): ExtProcOptions {
  switch (mode) {
    case "auto":
      return {};
    case "full-duplex":
      return { requestBodyMode: "full-duplex-streamed" };
    case "buffered":
      return { requestBodyMode: "buffered" };
  }
}

function tlsOptions(tls: Config["extProc"]["tls"]): TlsOptions {
  const options = tlsOf(tls);
  return options.kind === "off" ? { kind: "plaintext" } : options;
}
