import { type Config, parseAddress } from "../config/index.ts";
import type { ExtProcOptions, TlsOptions } from "../surface/ext-proc/index.ts";

/** The settings of the ext_proc surface, in its own terms. */
export function extProcOptions({ extProc, health, shutdown }: Config): ExtProcOptions {
  return {
    ...parseAddress(extProc.listen),
    ...bodyModes(extProc.bodyMode),
    healthPort: health.listen === "off" ? 0 : parseAddress(health.listen).port,
    tls: tlsOptions(extProc.tls),
    pickDeadlineMs: extProc.pickDeadlineMs,
    trustClient: extProc.trustClientPins,
    conformanceHeaders: extProc.conformanceHeaders,
    maxBodyBytes: extProc.maxBodyBytes,
    maxBodyBytesInFlight: extProc.maxInFlightBodyBytes,
    maxPicksInFlight: extProc.maxInFlightRequests,
    maxMessageBytes: extProc.maxReceiveMessageBytes,
    drainNoticeMs: shutdown.readinessDelayMs,
  };
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
  switch (tls.mode) {
    case "self-signed":
      return { kind: "self-signed" };
    case "off":
      return { kind: "plaintext" };
    case "files": {
      const { certFile = "", keyFile = "", reloadIntervalMs } = tls;
      return { kind: "files", certFile, keyFile, reloadIntervalMs };
    }
  }
}
