import type { BodyMode } from "./body-mode.ts";
import { BufferedRequest } from "./buffered-request.ts";
import { DeferredRequest } from "./deferred-request.ts";
import { HeadersRequest } from "./headers-request.ts";
import type { RequestPhase, RequestPhaseHost } from "./request-phase.ts";

/** The phase of a mode. @param announcedBytes the request's content-length; undefined without one */
export function requestPhaseOfMode(
  mode: BodyMode,
  host: RequestPhaseHost,
  announcedBytes: number | undefined,
): RequestPhase {
  switch (mode) {
    case "full-duplex-streamed":
      return new DeferredRequest(host, announcedBytes);
    case "buffered":
    case "buffered-partial":
      return new BufferedRequest(host, mode === "buffered");
    case "none":
    case "streamed":
      return new HeadersRequest(host);
  }
}
