import { isSpanContextValid, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { parseTraceParent, TraceState } from "@opentelemetry/core";
import type { TraceCarrier } from "./request-trace.ts";

/** The longest `tracestate` that is read, in characters: four times what the standard asks to pass on. */
const maxStateLength = 2_048;

/** What a request's headers say of the trace that it belongs to. Source: W3C Trace Context. */
export interface ReceivedContext {
  /** Undefined = none, or none that can be read. */
  readonly parent: SpanContext | undefined;
  /** Whether there is a `tracestate`, which counts with a `traceparent` only. */
  readonly hasState: boolean;
}

/** Never throws: what cannot be read counts as absent. */
export function receivedContext(carrier: TraceCarrier): ReceivedContext {
  const states = carrier.getAll("tracestate");
  const hasState = states.length > 0;
  const parents = carrier.getAll("traceparent");
  const [text] = parents;
  if (text === undefined || parents.length > 1) return { parent: undefined, hasState };
  const parent = parseTraceParent(text);
  if (parent === null || !isSpanContextValid(parent)) return { parent: undefined, hasState };
  const state = states.join(",");
  const traceState = hasState && state.length <= maxStateLength ? { traceState: new TraceState(state) } : {};
  return { parent: { ...parent, isRemote: true, ...traceState }, hasState };
}

/** A context as the header `traceparent` tells it. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? "00" : "01"}`;
}
