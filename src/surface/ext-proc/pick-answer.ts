import { splicedParts, totalBytes } from "./body-chunks.ts";
import { DESTINATION_HEADER, type HeaderRemovals } from "./control-headers.ts";
import { ENDPOINT_NAMESPACE } from "./endpoint-metadata.ts";
import type { HeaderList } from "./header-list.ts";
import type { PickDecision } from "./pick-router.ts";
import { type HeaderMutation, type HeaderValueOption, overwriteHeader, type Struct } from "./processing-messages.ts";

const REQUEST_ID_HEADER = "x-request-id";

/** A pick in the gateway's terms. */
export interface PickAnswer {
  readonly headerMutation: HeaderMutation;
  /** The destination again, for load balancers that read metadata. */
  readonly dynamicMetadata: Struct;
  readonly isBodyChanged: boolean;
  /** The body as it goes on, in parts; joined they are what the worker gets. */
  readonly bodyParts: readonly Buffer[];
}

export interface PickAnswerOptions {
  /** Whether the gateway refuses a changed body without a content-length (Envoy's BUFFERED mode: 500). */
  readonly needsLength: boolean;
  /** Makes the `x-request-id` of a request without one; undefined: it stays without. */
  readonly newRequestId: (() => string) | undefined;
  readonly removals: HeaderRemovals;
}

/**
 * Puts a decision into header changes, metadata and body parts. Content-length is set when the body changes and the client
 * announced its length, or when the gateway needs it.
 */
export function pickAnswer(
  decision: PickDecision,
  headers: HeaderList,
  body: Buffer,
  options: PickAnswerOptions,
): PickAnswer {
  const destination = [decision.endpoint, ...decision.fallbacks].join(",");
  const bodyParts = splicedParts(decision.rewrite?.body ?? body, decision.bodyEdit);
  const isBodyChanged = decision.bodyEdit !== undefined || decision.rewrite !== undefined;
  const set = [overwriteHeader(DESTINATION_HEADER, destination)];
  for (const [name, value] of decision.headers) set.push(overwriteHeader(name, value));
  if (options.newRequestId !== undefined && (headers.get(REQUEST_ID_HEADER) ?? "") === "") {
    set.push(overwriteHeader(REQUEST_ID_HEADER, options.newRequestId()));
  }
  if (isBodyChanged && (options.needsLength || headers.has("content-length"))) {
    set.push(overwriteHeader("content-length", String(totalBytes(bodyParts))));
  }
  return {
    headerMutation: { set_headers: set, remove_headers: options.removals.namesFor(headers, set.map(nameOf)) },
    dynamicMetadata: destinationMetadata(destination),
    isBodyChanged,
    bodyParts,
  };
}

function nameOf({ header }: HeaderValueOption): string {
  return header.key;
}

function destinationMetadata(destination: string): Struct {
  return {
    fields: {
      [ENDPOINT_NAMESPACE]: { structValue: { fields: { [DESTINATION_HEADER]: { stringValue: destination } } } },
    },
  };
}
