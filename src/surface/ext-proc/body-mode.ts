import type { ProcessingRequest } from "./processing-messages.ts";

/** How the gateway sends a body: Envoy's `ProcessingMode.BodySendMode`, in words. */
export type BodyMode = "none" | "streamed" | "buffered" | "buffered-partial" | "full-duplex-streamed";

/** What a stream's bodies look like. */
export interface StreamModes {
  readonly request: BodyMode;
  readonly response: BodyMode;
}

/** Whether the modes are read from the stream or fixed by the operator. */
export interface BodyModeOptions {
  /** Mode of request bodies; `auto` reads it from the first message of each stream. Default `auto`. */
  readonly requestBodyMode: "auto" | BodyMode;
  /** The same for response bodies. Default `auto`. */
  readonly responseBodyMode: "auto" | BodyMode;
  /** What `auto` means for request bodies when the gateway does not tell. Default `full-duplex-streamed`. */
  readonly untoldRequestBodyMode: BodyMode;
  /** The same for response bodies. Default `full-duplex-streamed`. */
  readonly untoldResponseBodyMode: BodyMode;
}

const modeByNumber: readonly BodyMode[] = [
  "none",
  "streamed",
  "buffered",
  "buffered-partial",
  "full-duplex-streamed",
] satisfies BodyMode[];

/** Modes of a stream, from its first message. */
export function streamModes(first: ProcessingRequest, options: BodyModeOptions): StreamModes {
  const told = first.protocol_config;
  const request = told === undefined ? options.untoldRequestBodyMode : modeOf(told.request_body_mode);
  const response = told === undefined ? options.untoldResponseBodyMode : modeOf(told.response_body_mode);
  return {
    request: options.requestBodyMode === "auto" ? request : options.requestBodyMode,
    response: options.responseBodyMode === "auto" ? response : options.responseBodyMode,
  };
}

/** Whether a body comes in one message. */
export function isBuffered(mode: BodyMode): boolean {
  return mode === "buffered" || mode === "buffered-partial";
}

/** A mode that is not known here is answered chunk by chunk, as STREAMED is: whatever the gateway makes of it, nothing hangs. */
function modeOf(number = 0): BodyMode {
  return modeByNumber[number] ?? "streamed";
}
