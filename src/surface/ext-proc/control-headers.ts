/** The picked endpoint, for the gateway. Source: endpoint-picker protocol of the Gateway API inference extension. */
export const DESTINATION_HEADER = "x-gateway-destination-endpoint";

/** Prefixes of the names by which gateway and picker talk; a client's own must not reach a worker. */
const controlPrefixes = ["x-gateway-", "x-llm-d-"];

/** Control names that are listed even when not seen: the gateway may hide headers from us and still send them on. */
const controlNames = [
  "inference-objective",
  "inference-fairness-id",
  "model-name-rewrite",
  "destination-endpoint-subset",
  "destination-endpoint-served",
].flatMap((name) => controlPrefixes.map((prefix) => prefix + name));

const latencyNames = ["x-llm-d-slo-ttft-ms", "x-llm-d-slo-tpot-ms", "x-slo-ttft-ms", "x-slo-tpot-ms"];

/** Headers by which a client could choose a worker, a rank or a cache source; frontends and sidecars read both spellings. */
const workerChoosingNames = [
  "worker-instance-id",
  "prefill-instance-id",
  "decode-instance-id",
  "dp-rank",
  "prefill-dp-rank",
  "data-parallel-rank",
  "routing-mode",
  "prefiller-host-port",
  "encoder-hosts-ports",
  "data-parallel-host-port",
  "kv-cache-source-host-port",
].flatMap((name) => [`x-${name}`, `x-dynamo-${name}`]);

const alwaysRemoved: readonly string[] = [
  ...controlNames,
  ...latencyNames,
  ...workerChoosingNames,
  "x-llm-d-request-dropped-reason",
];
const alwaysRemovedSet = new Set(alwaysRemoved);

/**
 * Names of the request headers to remove: the fixed list, and what else the client sent under a control prefix. A name that
 * is set is left out: setting replaces the client's value.
 * @param presentNames lower-case names of the request's headers
 * @param isSet whether the answer sets a header
 */
export function headersToRemove(presentNames: readonly string[], isSet: (name: string) => boolean): readonly string[] {
  const extra = presentNames.filter((name) => hasControlPrefix(name) && !alwaysRemovedSet.has(name) && !isSet(name));
  const fixed = alwaysRemoved.filter((name) => !isSet(name));
  return extra.length === 0 ? fixed : [...fixed, ...new Set(extra)];
}

function hasControlPrefix(name: string): boolean {
  return controlPrefixes.some((prefix) => name.startsWith(prefix));
}
