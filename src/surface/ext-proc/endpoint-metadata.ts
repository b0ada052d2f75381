import type { PickRequestHeaders } from "./pick-router.ts";
import type { MetadataContext, StructValue } from "./processing-messages.ts";

const SUBSET_NAMESPACE = "envoy.lb.subset_hint";
const SUBSET_KEY = "x-gateway-destination-endpoint-subset";

/** Metadata namespace of picks and of what became of them. */
export const ENDPOINT_NAMESPACE = "envoy.lb";
const SERVED_KEY = "x-gateway-destination-endpoint-served";

/**
 * Endpoints to which the gateway restricts the choice; undefined without a hint, empty when the hint allows none.
 * The hint is a list of strings or one comma-separated string; whatever else it may be allows nothing.
 * Source: endpoint-picker protocol, "subset"; the string form is what Envoy's header_to_metadata filter makes.
 */
export function subsetHint(metadata: MetadataContext | undefined): readonly string[] | undefined {
  const value = metadata?.filter_metadata?.[SUBSET_NAMESPACE]?.fields?.[SUBSET_KEY];
  return value === undefined || value.kind === "nullValue" ? undefined : endpointsOf(value);
}

/** The endpoint that served, the last one of a list; undefined when the gateway does not tell. */
export function servedEndpoint(metadata: MetadataContext | undefined): string | undefined {
  const value = metadata?.filter_metadata?.[ENDPOINT_NAMESPACE]?.fields?.[SERVED_KEY];
  return value === undefined ? undefined : endpointsOf(value).at(-1);
}

/** Endpoints that a conformance test asks for; undefined when it does not. */
export function requestedEndpoints(headers: PickRequestHeaders): readonly string[] | undefined {
  const list = headers.get("test-epp-endpoint-selection");
  return list === undefined ? undefined : splitEndpoints(list);
}

/** Splits a comma-separated list of endpoints; blank entries are dropped. */
function splitEndpoints(list: string): readonly string[] {
  return list
    .split(",")
    .map((endpoint) => endpoint.trim())
    .filter((endpoint) => endpoint !== "");
}

function endpointsOf(value: StructValue): readonly string[] {
  const strings = value.listValue?.values?.map((entry) => entry.stringValue ?? "") ?? [value.stringValue ?? ""];
  return strings.flatMap(splitEndpoints);
}
